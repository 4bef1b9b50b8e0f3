// SPDX-License-Identifier: Apache-2.0
// The catalogue: where entries are looked for, and how a scenario names, completes or changes one.
#include "lockstep/platforms/catalogue.hpp"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "lockstep/platforms/error.hpp"
#include "lockstep/tests/support/catch.hpp"
#include "lockstep/tests/support/problems.hpp"

namespace {

namespace fs = std::filesystem;
using lockstep::Catalogue;
using lockstep::CatalogueSection;
using lockstep::Diagnostics;
using lockstep::Document;
using lockstep::parse_toml;
using lockstep::Table;
using lockstep::TableReader;
using lockstep::testing::problems_of;
using lockstep::testing::words;

/// A folder of entries named by LOCKSTEP_CATALOG_PATH for as long as it lives.
class Folders {
 public:
  explicit Folders(const std::string& name)
      : root_(fs::temp_directory_path() / ("lockstep_unit_catalogue_" + name)) {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~Folders() {
    unsetenv("LOCKSTEP_CATALOG_PATH");
    fs::remove_all(root_);
  }
  Folders(const Folders&) = delete;
  Folders& operator=(const Folders&) = delete;

  void add(const std::string& file, const std::string& toml) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << toml;
  }
  [[nodiscard]] std::string path(const std::string& folder) const {
    return (root_ / folder).string();
  }
  static void use(const std::string& path) { setenv("LOCKSTEP_CATALOG_PATH", path.c_str(), 1); }

 private:
  fs::path root_;
};

/// The result of resolving key "accelerator" of a text, and what was complained about.
struct Resolved {
  Table table;
  std::string where;
  std::string complaints;
};
Resolved resolve(const std::string& toml) {
  const Document document = parse_toml(toml, "a.toml");
  Diagnostics problems;
  TableReader reader(document.root, "a.toml:1:1", problems);
  Resolved result;
  const lockstep::CatalogueEntry entry =
      resolve_entry(reader, "accelerator", CatalogueSection::accelerators,
                    {{"peak", "peak_flops_per_s"}, {"memory_capacity", "memory_capacity_bytes"}});
  result.table = entry.table;
  result.where = entry.where;
  result.complaints = words(problems_of([&] { problems.throw_if_any(); }));
  return result;
}

std::string text_at(const Table& table, std::string_view key) {
  const lockstep::Value* value = table.find(key);
  return value == nullptr || value->text() == nullptr ? "(none)" : *value->text();
}

}  // namespace

TEST_CASE("the catalogue of the build is found, every section of it", "[catalogue]") {
  const Catalogue catalogue;
  for (const CatalogueSection section :
       {CatalogueSection::accelerators, CatalogueSection::nodes, CatalogueSection::fabrics,
        CatalogueSection::fleets, CatalogueSection::models}) {
    INFO(lockstep::name_of(section));
    CHECK_FALSE(catalogue.names(section).empty());
    CHECK_FALSE(lockstep::word_for(section).empty());
  }
  const auto names = catalogue.names(CatalogueSection::accelerators);
  CHECK(std::find(names.begin(), names.end(), "Cloud.H100") != names.end());
  CHECK(std::is_sorted(names.begin(), names.end()));
}

TEST_CASE("an entry is found by its exact name in its section", "[catalogue]") {
  Catalogue catalogue;
  const Document* entry = catalogue.find(CatalogueSection::accelerators, "Cloud.H100");
  REQUIRE(entry != nullptr);
  CHECK(text_at(entry->root, "peak") == "989 TFLOP/s");
  CHECK(catalogue.find(CatalogueSection::accelerators, "Cloud.H100") == entry);
  CHECK(catalogue.find(CatalogueSection::accelerators, "cloud.h100") == nullptr);
  CHECK(catalogue.find(CatalogueSection::nodes, "Cloud.H100") == nullptr);
  CHECK_THAT(catalogue.path_of(CatalogueSection::accelerators, "Cloud.H100"),
             Catch::EndsWith("accelerators/Cloud.H100.toml"));
  CHECK(catalogue.path_of(CatalogueSection::accelerators, "none").empty());
}

TEST_CASE("folders of LOCKSTEP_CATALOG_PATH add and replace, later ones win", "[catalogue]") {
  Folders folders("path");
  folders.add("one/accelerators/Mine.toml", "peak = \"1 TFLOP/s\"\n");
  folders.add("one/accelerators/Cloud.H100.toml", "peak = \"2 TFLOP/s\"\n");
  folders.add("one/accelerators/notes.txt", "not an entry\n");
  folders.add("two/accelerators/Mine.toml", "peak = \"3 TFLOP/s\"\n");
  Folders::use(folders.path("one") + "::" + folders.path("two") + ":");
  Catalogue catalogue;
  CHECK(text_at(catalogue.find(CatalogueSection::accelerators, "Mine")->root, "peak") ==
        "3 TFLOP/s");
  CHECK(text_at(catalogue.find(CatalogueSection::accelerators, "Cloud.H100")->root, "peak") ==
        "2 TFLOP/s");
  CHECK(catalogue.find(CatalogueSection::accelerators, "notes") == nullptr);
  CHECK(catalogue.find(CatalogueSection::accelerators, "Cloud.A100") != nullptr);
}

TEST_CASE("a folder that is not there, and an entry that is not right, are refused",
          "[catalogue]") {
  Folders folders("wrong");
  folders.add("one/nodes/Broken.toml", "name = \n");
  Folders::use(folders.path("none"));
  CHECK_THAT(words(problems_of([] { return Catalogue(); })),
             Catch::StartsWith("LOCKSTEP_CATALOG_PATH: names the folder"));
  Folders::use(folders.path("one"));
  Catalogue catalogue;  // reading is put off until an entry is asked for
  CHECK_THAT(words(problems_of([&] { return catalogue.find(CatalogueSection::nodes, "Broken"); })),
             Catch::Contains("Broken.toml:1:") && Catch::Contains("is not TOML"));
}

TEST_CASE("folders that cannot be read are named, with the reason", "[catalogue]") {
  Folders folders("unreadable");
  fs::create_directories(folders.path("one"));
  fs::create_symlink(folders.path("loop"), folders.path("loop"));
  fs::create_symlink(folders.path("one/models"), folders.path("one/models"));
  for (const std::string& path :
       {folders.path("loop"), folders.path("one"), folders.path(std::string(300, 'n'))}) {
    Folders::use(path);
    try {
      const Catalogue catalogue;
      FAIL("nothing was thrown");
    } catch (const lockstep::Error& error) {
      CHECK(error.kind() == lockstep::ErrorKind::io);
      CHECK_THAT(error.diagnostics().front().where, Catch::StartsWith(path));
      CHECK_THAT(error.diagnostics().front().message, Catch::StartsWith("cannot be read: "));
    }
  }
}

TEST_CASE("an entry without keys is refused in its own file", "[catalogue]") {
  Folders folders("empty");
  folders.add("one/accelerators/Empty.toml", "# nothing\n");
  Folders::use(folders.path("one"));
  lockstep::Catalogue::shared() = Catalogue();
  CHECK_THAT(resolve("accelerator = \"Empty\"\n").complaints,
             Catch::Contains("Empty.toml:1:1: holds no keys"));
  Folders::use("");
  lockstep::Catalogue::shared() = Catalogue();
}

TEST_CASE("a name stands for its entry", "[catalogue]") {
  const Resolved found = resolve("accelerator = \"Cloud.H100\"\n");
  CHECK(found.complaints.empty());
  CHECK(text_at(found.table, "memory_capacity") == "80 GiB");
  CHECK_THAT(found.where, Catch::EndsWith("accelerators/Cloud.H100.toml:1:1"));
  CHECK_THAT(found.where, Catch::Contains("Cloud.H100.toml"));
  const Resolved unknown = resolve("\naccelerator = \"Cloud.H10\"\n");
  CHECK(unknown.table.empty());
  CHECK_THAT(unknown.complaints,
             Catch::StartsWith("a.toml:2:1: no accelerator is named \"Cloud.H10\"") &&
                 Catch::Contains("did you mean Cloud.H100?"));
}

TEST_CASE("a complete table stands for itself, and its ref is a label", "[catalogue]") {
  const Resolved found = resolve(
      "[accelerator]\nref = \"no such entry\"\npeak_flops_per_s = 1e12\n"
      "memory_capacity = \"1 GB\"\n");
  CHECK(found.complaints.empty());
  CHECK(found.table.size() == 3);
  CHECK(found.where == "a.toml:1:2");
  CHECK(text_at(found.table, "ref") == "no such entry");
  CHECK(found.table.find("memory_bandwidth") == nullptr);
}

TEST_CASE("an incomplete table changes the entry that ref names", "[catalogue]") {
  const Resolved found =
      resolve("[accelerator]\nref = \"Cloud.H100\"\nmemory_capacity_bytes = 141e9\nnote = \"x\"\n");
  CHECK(found.complaints.empty());
  CHECK(text_at(found.table, "peak") == "989 TFLOP/s");
  CHECK(found.table.find("memory_capacity") == nullptr);  // its other form took its place
  CHECK(*found.table.find("memory_capacity_bytes")->real() == 141e9);
  CHECK(text_at(found.table, "note") == "x");
  CHECK(found.table.find("ref") == nullptr);
}

TEST_CASE("what is neither complete nor a change is refused with what to give", "[catalogue]") {
  CHECK_THAT(resolve("[accelerator]\npeak = \"1 TFLOP/s\"\n").complaints,
             Catch::Contains("neither complete nor changes of an entry") &&
                 Catch::Contains("peak or peak_flops_per_s, memory_capacity"));
  CHECK_THAT(resolve("accelerator = {ref = 5}\n").complaints, Catch::Contains("neither complete"));
  CHECK_THAT(resolve("accelerator = {ref = \"Cloud.H10\"}\n").complaints,
             Catch::Contains("did you mean Cloud.H100?"));
  CHECK_THAT(resolve("accelerator = 5\n").complaints,
             Catch::Contains("accelerator is a whole number, not a catalogue name or a table"));
  CHECK_THAT(resolve("x = 5\n").complaints, Catch::Contains("accelerator is missing"));
}
