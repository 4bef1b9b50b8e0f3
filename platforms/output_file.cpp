// SPDX-License-Identifier: Apache-2.0
#include "lockstep/platforms/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <streambuf>
#include <system_error>
#include <vector>

#include "lockstep/platforms/error.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_size = std::size_t{1} << 16;

[[noreturn]] void fail(const std::string& path, const std::string& message, std::string hint = {}) {
  throw Error(ErrorKind::io, message, path, std::move(hint));
}

std::string text_of(int error) {
  return std::generic_category().message(error);
}

// ---- temporary files that a signal handler may have to remove

// A handler may neither allocate nor lock, so the names stand in a fixed table. `owner` is the
// process that made the file, 0 when the slot is free, -1 while it is being filled.
struct UnfinishedFile {
  std::atomic<int> owner{0};
  std::array<char, PATH_MAX> path{};
};
static_assert(std::atomic<int>::is_always_lock_free);
std::array<UnfinishedFile, 16> unfinished_files;

/// Remembers a temporary file. With the table full (or an overlong path) it returns nullptr: then
/// only a signal leaves the file behind.
UnfinishedFile* remember(const std::string& path) {
  if (path.size() >= PATH_MAX) return nullptr;
  for (UnfinishedFile& slot : unfinished_files) {
    int free = 0;
    if (!slot.owner.compare_exchange_strong(free, -1)) continue;
    std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
    slot.owner.store(static_cast<int>(::getpid()));
    return &slot;
  }
  return nullptr;
}

/// No signal handler runs between making a file and remembering it.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

// ---- stream buffers

/// Writes to a file descriptor and keeps the first error.
class FileBuffer final : public std::streambuf {
 public:
  FileBuffer() { setp(buffer_.data(), buffer_.data() + buffer_.size()); }
  void attach(int descriptor) { descriptor_ = descriptor; }
  [[nodiscard]] int error() const { return error_; }

 protected:
  int_type overflow(int_type next) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(next, traits_type::eof())) sputc(traits_type::to_char_type(next));
    return traits_type::not_eof(next);
  }

  int sync() override {
    const char* from = pbase();
    while (error_ == 0 && from < pptr()) {
      const ssize_t written = ::write(descriptor_, from, static_cast<std::size_t>(pptr() - from));
      if (written > 0)
        from += written;
      else if (written == 0 || errno != EINTR)
        error_ = written == 0 ? EIO : errno;
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return error_ == 0 ? 0 : -1;
  }

 private:
  int descriptor_ = -1;
  int error_ = 0;
  std::array<char, buffer_size> buffer_{};
};

/// Compresses into another buffer. `finish` writes the end of the gzip stream; a plain flush does
/// not reach the file, since flush points would cost compression.
class GzipBuffer final : public std::streambuf {
 public:
  explicit GzipBuffer(std::streambuf& to) : to_(to) {
    constexpr int level = 6;
    constexpr int gzip_window = 15 + 16;  // the largest window; 16 asks for a gzip header
    constexpr int memory = 8;
    LOCKSTEP_CHECK(
        deflateInit2(&zip_, level, Z_DEFLATED, gzip_window, memory, Z_DEFAULT_STRATEGY) == Z_OK,
        "zlib cannot start");
    setp(plain_.data(), plain_.data() + plain_.size());
  }
  ~GzipBuffer() override { deflateEnd(&zip_); }
  GzipBuffer(const GzipBuffer&) = delete;
  GzipBuffer& operator=(const GzipBuffer&) = delete;

  bool finish() { return compress(Z_FINISH); }

 protected:
  int_type overflow(int_type next) override {
    if (!compress(Z_NO_FLUSH)) return traits_type::eof();
    if (!traits_type::eq_int_type(next, traits_type::eof())) sputc(traits_type::to_char_type(next));
    return traits_type::not_eof(next);
  }

 private:
  bool compress(int mode) {
    zip_.next_in = reinterpret_cast<Bytef*>(pbase());
    zip_.avail_in = static_cast<uInt>(pptr() - pbase());
    do {
      zip_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      zip_.avail_out = static_cast<uInt>(packed_.size());
      deflate(&zip_, mode);
      const auto size = static_cast<std::streamsize>(packed_.size() - zip_.avail_out);
      if (to_.sputn(packed_.data(), size) != size) return false;
    } while (zip_.avail_out == 0);
    setp(plain_.data(), plain_.data() + plain_.size());
    return true;
  }

  std::streambuf& to_;
  z_stream zip_{};  // its header carries neither a time nor a name unless asked to
  std::array<char, buffer_size> plain_{};
  std::array<char, buffer_size> packed_{};
};

// ---- paths

/// Where a link that leads nowhere yet points to, so that the link outlives the rename.
std::string followed(const std::string& path) {
  fs::path place = path;
  std::error_code error;
  for (int hops = 0; hops < 40 && fs::is_symlink(fs::symlink_status(place, error)); ++hops) {
    const fs::path next = fs::read_symlink(place, error);
    if (error) break;
    place = next.is_absolute() ? next : place.parent_path() / next;
  }
  return place.string();
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// The descriptor of our standard output or error if `info` is that very file, else -1.
/// Replacing a file that the shell has redirected us to would lose what we print there.
int standard_stream_of(const struct stat& info) {
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat standard {};
    if (::fstat(descriptor, &standard) == 0 && standard.st_dev == info.st_dev &&
        standard.st_ino == info.st_ino)
      return descriptor;
  }
  return -1;
}

}  // namespace

struct OutputFile::State {
  FileBuffer file;
  std::unique_ptr<GzipBuffer> gzip;
  std::ostream stream{nullptr};
  int descriptor = -1;
  std::string target;     ///< path with links followed
  std::string temporary;  ///< empty when the target is written directly
  UnfinishedFile* slot = nullptr;
  bool committed = false;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { discard(); }

  void discard() noexcept {
    if (descriptor >= 0) ::close(descriptor);
    descriptor = -1;
    if (!temporary.empty()) ::unlink(temporary.c_str());
    forget();
  }

  void forget() noexcept {
    temporary.clear();
    if (slot != nullptr) slot->owner.store(0);
    slot = nullptr;
  }

  void open(const std::string& path);
  void open_directly(const std::string& path, const struct stat& info);
  void open_temporary(const std::string& path, mode_t old_mode);
  void write_all(const std::string& path);
};

void OutputFile::State::open(const std::string& path) {
  if (path.empty()) fail(path, "cannot write a file without a name");
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  const int reason = errno;
  if (!exists && reason != ENOENT) fail(path, "cannot write here: " + text_of(reason));
  if (exists && S_ISDIR(info.st_mode))
    fail(path, "this is a folder, not a file", "give the name of a file in it");
  if (!exists && path.back() == '/') fail(path, "this names a folder, not a file");
  if (exists && (!S_ISREG(info.st_mode) || standard_stream_of(info) >= 0))
    return open_directly(path, info);
  if (exists && ::access(path.c_str(), W_OK) != 0)
    fail(path, "cannot write this file: " + text_of(errno));
  open_temporary(path, exists ? info.st_mode & mode_t{07777} : mode_t{0});
}

void OutputFile::State::open_directly(const std::string& path, const struct stat& info) {
  // A copy of the descriptor shares its position, which a fresh opening would not.
  const int standard = standard_stream_of(info);
  descriptor = standard >= 0 ? ::fcntl(standard, F_DUPFD_CLOEXEC, 3)
                             : ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path, "cannot open for writing: " + text_of(errno));
}

void OutputFile::State::open_temporary(const std::string& path, mode_t old_mode) {
  static std::atomic<unsigned> count{0};
  target = followed(path);
  const std::string folder = folder_of(target);
  const SignalsBlocked no_signals;
  std::string name;
  do {  // a short name of its own: that of the target may already be as long as names can be
    name = (fs::path(folder) /
            (".lockstep-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".tmp"))
               .string();
    descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EEXIST);
  if (descriptor < 0) {
    const int reason = errno;
    std::error_code ignored;
    const bool there = fs::is_directory(folder, ignored);
    if (reason == ENOENT && !there)
      fail(path, "the folder " + folder + " does not exist", "create it first");
    if (reason == ENOENT) fail(path, "no files can be made in the folder " + folder);
    fail(path, "cannot write in the folder " + folder + ": " + text_of(reason));
  }
  temporary = name;
  slot = remember(name);
  if (old_mode != 0) ::fchmod(descriptor, old_mode);
}

/// Everything up to the rename. A stream that failed has lost data, whatever came after.
void OutputFile::State::write_all(const std::string& path) {
  bool good = stream.good();
  if (good && gzip != nullptr) good = gzip->finish();
  if (good) good = file.pubsync() == 0;
  int reason = file.error();
  if (good && !temporary.empty() && ::fsync(descriptor) != 0) reason = errno;
  if (::close(descriptor) != 0 && reason == 0 && errno != EINTR) reason = errno;
  descriptor = -1;
  if (!good || reason != 0)
    fail(path, "cannot write: " + (reason != 0 ? text_of(reason) : std::string("a write failed")));
}

OutputFile::OutputFile(std::string path)
    : path_(std::move(path)), state_(std::make_unique<State>()) {
  state_->open(path_);
  state_->file.attach(state_->descriptor);
  std::streambuf* to = &state_->file;
  if (path_.ends_with(".gz")) {
    state_->gzip = std::make_unique<GzipBuffer>(state_->file);
    to = state_->gzip.get();
  }
  state_->stream.rdbuf(to);
}

OutputFile::~OutputFile() = default;

std::ostream& OutputFile::stream() {
  return state_->stream;
}

void OutputFile::commit() {
  State& state = *state_;
  LOCKSTEP_CHECK(!state.committed, "an output file was committed twice");
  state.committed = true;
  try {
    state.write_all(path_);
    if (state.temporary.empty()) return;
    if (::rename(state.temporary.c_str(), state.target.c_str()) != 0)
      fail(path_, "cannot put the file in place: " + text_of(errno));
  } catch (...) {
    state.discard();
    throw;
  }
  state.forget();
  // The new name is on disk only once its folder is; file systems that cannot do this are fine too.
  const int folder = ::open(folder_of(state.target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  ::fsync(folder);
  ::close(folder);
}

void remove_unfinished_outputs() noexcept {
  const int saved = errno;
  const int self = static_cast<int>(::getpid());
  for (UnfinishedFile& slot : unfinished_files)
    if (slot.owner.load() == self) ::unlink(slot.path.data());
  errno = saved;
}

}  // namespace lockstep
