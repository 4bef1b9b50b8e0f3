// SPDX-License-Identifier: Apache-2.0
// Files that appear whole or not at all.
#include "lockstep/platforms/output_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "lockstep/platforms/error.hpp"
#include "lockstep/tests/support/catch.hpp"

namespace {

namespace fs = std::filesystem;
using lockstep::OutputFile;

/// A folder of its own that vanishes with the test.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "lockstep-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string operator/(const std::string& name) const {
    return (path_ / name).string();
  }
  /// How many files there are, temporary ones included.
  [[nodiscard]] long files() const {
    return std::distance(fs::directory_iterator(path_), fs::directory_iterator{});
  }

 private:
  fs::path path_;
};

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.stream() << text;
  file.commit();
}

unsigned mode_of(const std::string& path) {
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return info.st_mode & 07777U;
}

/// The diagnostic of the Error(io) that `action` throws.
template <class Action>
lockstep::Diagnostic io_problem(Action action) {
  try {
    action();
  } catch (const lockstep::Error& error) {
    CHECK(error.kind() == lockstep::ErrorKind::io);
    return error.diagnostics().front();
  }
  FAIL("no error");
  return {};
}

std::string unpacked(const std::string& path) {
  gzFile file = ::gzopen(path.c_str(), "rb");
  REQUIRE(file != nullptr);
  std::string text;
  std::array<char, 4096> piece{};
  for (int size = 1; size > 0;) {
    size = ::gzread(file, piece.data(), static_cast<unsigned>(piece.size()));
    if (size > 0) text.append(piece.data(), static_cast<std::size_t>(size));
  }
  CHECK(::gzclose(file) == Z_OK);
  return text;
}

}  // namespace

TEST_CASE("a file appears at commit", "[output]") {
  const Folder folder;
  const std::string path = folder / "out.json";
  {
    OutputFile file(path);
    CHECK(file.path() == path);
    file.stream() << "hello";
    file.stream().flush();
    CHECK_FALSE(fs::exists(path));
    CHECK(folder.files() == 1);
    file.commit();
    CHECK(content(path) == "hello");
    CHECK_THROWS_AS(file.commit(), lockstep::Error);
  }
  CHECK(content(path) == "hello");
  CHECK(folder.files() == 1);
}

TEST_CASE("without commit nothing changes", "[output]") {
  const Folder folder;
  const std::string path = folder / "out";
  { OutputFile(path).stream() << "lost"; }
  CHECK(folder.files() == 0);
  put(path, "old");
  { OutputFile(path).stream() << "lost"; }
  CHECK(content(path) == "old");
  CHECK(folder.files() == 1);
  put(path, "new");
  CHECK(content(path) == "new");
  put(path, "");
  CHECK(content(path).empty());
}

TEST_CASE("more than any buffer holds", "[output]") {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919) + "\n";
  put(folder / "plain", text);
  put(folder / "packed.gz", text);
  CHECK(content(folder / "plain") == text);
  CHECK(unpacked(folder / "packed.gz") == text);
  CHECK(fs::file_size(folder / "packed.gz") < text.size() / 2);
}

TEST_CASE("gzip files hold neither time nor name", "[output]") {
  const Folder folder;
  put(folder / "a.gz", "text");
  put(folder / "b.gz", "text");
  const std::string bytes = content(folder / "a.gz");
  CHECK(bytes == content(folder / "b.gz"));
  REQUIRE(bytes.size() > 10);
  CHECK(bytes.substr(0, 4) == std::string("\x1f\x8b\x08\x00", 4));  // deflate, no optional fields
  CHECK(bytes.substr(4, 4) == std::string(4, '\0'));                // no time
  put(folder / "empty.gz", "");
  CHECK(unpacked(folder / "empty.gz").empty());
}

TEST_CASE("the mode is the older file's, else the umask's", "[output]") {
  const Folder folder;
  const mode_t before = ::umask(027);
  put(folder / "new", "x");
  ::umask(before);
  CHECK(mode_of(folder / "new") == 0640);
  REQUIRE(::chmod((folder / "new").c_str(), 0604) == 0);
  put(folder / "new", "y");
  CHECK(mode_of(folder / "new") == 0604);
}

TEST_CASE("bad paths fail at once", "[output]") {
  const Folder folder;
  const auto opening = [](const std::string& path) {
    return io_problem([&] { const OutputFile file(path); });
  };
  const lockstep::Diagnostic missing = opening(folder / "no/out");
  CHECK(missing.where == folder / "no/out");
  CHECK_THAT(missing.message, Catch::Contains("does not exist"));
  CHECK_THAT(missing.hint, Catch::Contains("create"));
  CHECK_THAT(opening(folder / "").message, Catch::Contains("folder"));
  CHECK_THAT(opening(folder / "no/").message, Catch::Contains("folder"));
  CHECK_THAT(opening("").message, Catch::Contains("without a name"));
  put(folder / "file", "x");
  CHECK_THAT(opening(folder / "file/out").message, Catch::Contains("cannot"));
  CHECK(opening(folder / std::string(300, 'n')).where.size() > 300);
  CHECK(folder.files() == 1);
  if (::geteuid() == 0) return;  // root may write anywhere
  REQUIRE(::chmod((folder / "file").c_str(), 0444) == 0);
  CHECK_THAT(opening(folder / "file").message, Catch::Contains("cannot write"));
  REQUIRE(::chmod((folder / "").c_str(), 0555) == 0);
  CHECK_THAT(opening(folder / "other").message, Catch::Contains("cannot write"));
  REQUIRE(::chmod((folder / "").c_str(), 0755) == 0);
}

TEST_CASE("a name as long as names can be", "[output]") {
  const Folder folder;
  put(folder / std::string(255, 'n'), "x");
  CHECK(content(folder / std::string(255, 'n')) == "x");
}

TEST_CASE("links are followed and stay", "[output]") {
  const Folder folder;
  fs::create_symlink("target", folder / "link");
  put(folder / "link", "first");  // to a file that is not there yet
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(content(folder / "target") == "first");
  put(folder / "link", "second");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(content(folder / "target") == "second");
}

TEST_CASE("a full device is reported at commit", "[output]") {
  if (!fs::exists("/dev/full")) return;
  OutputFile file("/dev/full");
  file.stream() << "x";
  CHECK_THAT(io_problem([&] { file.commit(); }).message, Catch::Contains("No space left"));
  CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("a failed write leaves the older file intact", "[output]") {
  const Folder folder;
  const std::string path = folder / GENERATE("out", "out.gz");
  put(path, "old");
  const std::string old = content(path);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  {
    OutputFile file(path);
    rlimit small = before;
    small.rlim_cur = 1000;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    for (int i = 0; i < 200'000; ++i) file.stream() << i * 7919;
    const std::string message = io_problem([&] { file.commit(); }).message;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    std::signal(SIGXFSZ, handler);
    CHECK_THAT(message, Catch::Contains("File too large"));
    CHECK(folder.files() == 1);
  }
  CHECK(content(path) == old);
}

TEST_CASE("a stream that failed is not committed", "[output]") {
  const Folder folder;
  OutputFile file(folder / "out");
  file.stream() << "part";
  file.stream().setstate(std::ios::failbit);
  CHECK_THAT(io_problem([&] { file.commit(); }).message, Catch::Contains("a write failed"));
  CHECK(folder.files() == 0);
}

TEST_CASE("a FIFO is written directly", "[output]") {
  const Folder folder;
  const std::string path = folder / "fifo";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::string got;
  std::thread reader([&] { got = content(path); });
  put(path, "through");
  reader.join();
  CHECK(got == "through");
  CHECK(fs::is_fifo(path));
}

TEST_CASE("a file that is our own standard output is not replaced", "[output]") {
  const Folder folder;
  const std::string path = folder / "stdout";
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(descriptor, STDOUT_FILENO);
    bool good = ::write(STDOUT_FILENO, "before ", 7) == 7;
    put("/dev/stdout", "trace ");
    good = good && ::write(STDOUT_FILENO, "after", 5) == 5;
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(content(path) == "before trace after");
}

TEST_CASE("a signal handler can remove what is unfinished", "[output]") {
  const Folder folder;
  OutputFile file(folder / "out");
  const OutputFile other(folder / "other");
  put(folder / "done", "x");
  REQUIRE(folder.files() == 3);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {  // a child's end is not the end of its parent's files
    lockstep::remove_unfinished_outputs();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(folder.files() == 3);
  lockstep::remove_unfinished_outputs();
  CHECK(folder.files() == 1);
  CHECK(content(folder / "done") == "x");
  CHECK_THAT(io_problem([&] { file.commit(); }).message, Catch::Contains("in place"));
}
