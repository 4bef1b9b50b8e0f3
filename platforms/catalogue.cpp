// SPDX-License-Identifier: Apache-2.0
#include "lockstep/platforms/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "lockstep/platforms/error.hpp"
#include "lockstep/platforms/registry.hpp"

namespace lockstep {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 5> section_names = {"accelerators", "nodes", "fabrics",
                                                           "fleets", "models"};
constexpr std::array<std::string_view, 5> section_words = {"accelerator", "node", "fabric", "fleet",
                                                           "workload"};

bool has_all(const Table& table, const std::vector<std::vector<std::string_view>>& required) {
  return std::all_of(required.begin(), required.end(), [&](const auto& group) {
    return std::any_of(group.begin(), group.end(), [&](std::string_view key) {
      const Value* value = table.find(key);
      return value != nullptr && !value->is_null();
    });
  });
}

// A folder that cannot be looked at is named with the reason; one that is not there is none.
bool is_folder(const fs::path& path) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (status.type() == fs::file_type::not_found) return false;
  if (problem) throw Error(ErrorKind::io, "cannot be read: " + problem.message(), path.string());
  return fs::is_directory(status);
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code problem;
  fs::directory_iterator at(folder, problem);
  for (; !problem && at != fs::directory_iterator(); at.increment(problem))
    if (at->path().extension() == ".toml") paths.push_back(at->path());
  if (problem) throw Error(ErrorKind::io, "cannot be read: " + problem.message(), folder.string());
  return paths;
}

// An entry with changes: each changed key replaces the entry's, in either unit form.
Table merged(const Table& entry, const Table& changes) {
  Table result = entry;
  for (const Table::Entry& change : changes.entries())
    if (change.key != "ref") replace_key(result, change.key, change.value);
  return result;
}

}  // namespace

std::string_view name_of(CatalogueSection section) {
  return section_names[static_cast<std::size_t>(section)];
}

std::string_view word_for(CatalogueSection section) {
  return section_words[static_cast<std::size_t>(section)];
}

Catalogue::Catalogue() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path beside = program.parent_path() / ".." / "share" / "lockstep" / "platforms";
  if (!ignored && is_folder(beside))
    add_folder(beside.lexically_normal().string());
  else if (is_folder(LOCKSTEP_CATALOG_BUILD))
    add_folder(LOCKSTEP_CATALOG_BUILD);
  else if (is_folder(LOCKSTEP_CATALOG_INSTALLED))
    add_folder(LOCKSTEP_CATALOG_INSTALLED);

  const char* more = std::getenv("LOCKSTEP_CATALOG_PATH");
  std::string_view rest = more == nullptr ? "" : more;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string folder(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
    if (folder.empty()) continue;
    if (!is_folder(folder))
      throw Error(ErrorKind::input, "names the folder " + folder + ", which is not there",
                  "LOCKSTEP_CATALOG_PATH",
                  "folders hold accelerators/, nodes/, ... of .toml files");
    add_folder(folder);
  }
}

void Catalogue::add_folder(const std::string& folder) {
  for (std::size_t section = 0; section < section_names.size(); ++section) {
    const fs::path path = fs::path(folder) / section_names[section];
    if (!is_folder(path)) continue;
    for (const fs::path& file : entries_of(path))
      files_[section][file.stem().string()] = File{file.string(), false, {}};
  }
}

std::vector<std::string> Catalogue::names(CatalogueSection section) const {
  std::vector<std::string> result;
  for (const auto& [name, file] : files_[static_cast<std::size_t>(section)]) result.push_back(name);
  return result;
}

const Document* Catalogue::find(CatalogueSection section, std::string_view name) {
  auto& files = files_[static_cast<std::size_t>(section)];
  const auto found = files.find(name);
  if (found == files.end()) return nullptr;
  File& file = found->second;
  if (!file.read) {
    file.document = read_document(file.path);
    file.read = true;
  }
  return &file.document;
}

std::string Catalogue::path_of(CatalogueSection section, std::string_view name) const {
  const auto& files = files_[static_cast<std::size_t>(section)];
  const auto found = files.find(name);
  return found == files.end() ? "" : found->second.path;
}

Catalogue& Catalogue::shared() {
  static Catalogue catalogue;
  return catalogue;
}

CatalogueEntry resolve_entry(TableReader& reader, std::string_view key, CatalogueSection section,
                             const std::vector<std::vector<std::string_view>>& required) {
  Catalogue& catalogue = Catalogue::shared();
  const Value* value = reader.raw(key);
  if (value == nullptr) {
    reader.problem(key, fmt::format("{} is missing", key),
                   fmt::format("a catalogue name (lockstep list {}) or a table",
                               section == CatalogueSection::models ? "models" : "platforms"));
    return {};
  }
  const auto entry_named = [&](const std::string& name) -> const Document* {
    const Document* entry = catalogue.find(section, name);
    if (entry == nullptr)
      reader.problem(key,
                     fmt::format("no {} is named \"{}\"", word_for(section), name.substr(0, 60)),
                     known_names_hint(name, catalogue.names(section)));
    else if (entry->root.empty())
      reader.problems().add(entry->root_where, "holds no keys");
    return entry;
  };
  if (const std::string* name = value->text()) {
    const Document* entry = entry_named(*name);
    if (entry == nullptr) return {};
    return {entry->root, entry->root_where};
  }
  const Table* table = value->table();
  if (table == nullptr) {
    reader.problem(
        key, fmt::format("{} is {}, not a catalogue name or a table", key, value->type_name()));
    return {};
  }
  if (has_all(*table, required))
    return {*table, value->where.empty() ? reader.where() : value->where};
  const Value* ref = table->find("ref");
  if (ref == nullptr || ref->text() == nullptr) {
    std::string needed;
    for (const auto& group : required) {
      needed += needed.empty() ? "" : ", ";
      for (std::size_t i = 0; i < group.size(); ++i)
        needed += (i == 0 ? "" : " or ") + std::string(group[i]);
    }
    reader.problem(key, fmt::format("{} is neither complete nor changes of an entry", key),
                   fmt::format("give {}; or ref = a catalogue name", needed));
    return {};
  }
  const Document* entry = entry_named(*ref->text());
  if (entry == nullptr) return {};
  return {merged(entry->root, *table), entry->root_where};
}

}  // namespace lockstep
