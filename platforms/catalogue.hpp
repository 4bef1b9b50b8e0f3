// SPDX-License-Identifier: Apache-2.0
// Hardware and models as data: one TOML file an entry, found in the tree, after install, and in the
// folders of LOCKSTEP_CATALOG_PATH.
// Layer: platforms (standard library only).
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/platforms/document.hpp"
#include "lockstep/platforms/table_reader.hpp"

namespace lockstep {

/// The sections of the catalogue: its sub-folders.
enum class CatalogueSection { accelerators, nodes, fabrics, fleets, models };
[[nodiscard]] std::string_view name_of(CatalogueSection section);   ///< "accelerators", ...
[[nodiscard]] std::string_view word_for(CatalogueSection section);  ///< "accelerator", ...

/// Entries by name. The name is the file name without ".toml": "Cloud.H100", "DGX_H100".
class Catalogue {
 public:
  /// Looks in the first that is there of "../share/lockstep/platforms" beside the program, the build
  /// tree's catalogue and the installed one; then, later ones winning, in each folder of
  /// LOCKSTEP_CATALOG_PATH (colon-separated).
  /// Throws Error(input) when a folder of LOCKSTEP_CATALOG_PATH is not there, Error(io) when one
  /// cannot be read.
  Catalogue();

  [[nodiscard]] std::vector<std::string> names(CatalogueSection section) const;
  /// The entry's file, nullptr when there is none. Read on first use; throws Error(input) when
  /// the file is not right, Error(io) when it cannot be read.
  [[nodiscard]] const Document* find(CatalogueSection section, std::string_view name);
  /// The file of an entry, for messages.
  [[nodiscard]] std::string path_of(CatalogueSection section, std::string_view name) const;

  /// The one catalogue of the process.
  static Catalogue& shared();

 private:
  struct File {
    std::string path;
    bool read = false;
    Document document;
  };
  void add_folder(const std::string& folder);
  std::map<std::string, File, std::less<>> files_[5];
};

/// What stands for an accelerator, a workload, ...: its keys, and where a missing one is missing.
struct CatalogueEntry {
  Table table;        ///< empty when nothing was found
  std::string where;  ///< the catalogue's file, or the place of the inline table
};

/// Resolves what stands under `key`: a catalogue name, an inline table, or an entry with changes.
///
///   workload = "Language.GPT3"
///   workload = {kind = "TransformerWorkload", parameters = 175e9, ...}
///   accelerator = {ref = "Cloud.H100", memory_capacity = "141 GB"}
///
/// `required` lists groups of keys; a table with one key of every group is complete, and its `ref`
/// is a label. Otherwise `ref` names the entry that fills the rest. Problems (unknown name with the
/// nearest, neither complete nor `ref`) are recorded in the reader. Returns an empty table then.
[[nodiscard]] CatalogueEntry resolve_entry(
    TableReader& reader, std::string_view key, CatalogueSection section,
    const std::vector<std::vector<std::string_view>>& required);

}  // namespace lockstep
