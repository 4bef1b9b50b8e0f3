// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/engine/isolate.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "lockstep/platforms/error.hpp"

// Present in coverage builds only; without the call all that a child ran would count as not
// covered.
extern "C" void __gcov_dump() __attribute__((weak));  // NOLINT: the name is gcov's

namespace lockstep {
namespace {

// A frame is a tag, a length, then that many bytes. The stream ends with `done` or `failure`; one
// that ends otherwise comes from a child that died.
constexpr char tag_data = 'D';
constexpr char tag_failure = 'E';
constexpr char tag_done = 'F';
constexpr std::size_t header_size = 1 + sizeof(std::uint32_t);
constexpr std::size_t block_size = std::size_t{1} << 16;
constexpr std::size_t words_kept = std::size_t{1} << 16;
constexpr std::size_t word_lines = 10;
constexpr std::size_t word_length = 300;

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  [[nodiscard]] int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor out;
  Descriptor in;
};

Error system_failure(const char* what) {
  return {ErrorKind::simulation, fmt::format("{}: {}", what, std::strerror(errno))};
}

Pipe open_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_failure("cannot open a pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// --- The child's side -------------------------------------------------------------------------

void write_all(int fd, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(fd, at, size);
    if (written < 0) {
      if (errno == EINTR) continue;
      ::_exit(1);  // nobody is left to tell
    }
    at += written;
    size -= static_cast<std::size_t>(written);
  }
}

void write_frame(int fd, char tag, const void* data, std::size_t size) {
  std::array<char, header_size> header{tag};
  const auto length = static_cast<std::uint32_t>(size);
  std::memcpy(header.data() + 1, &length, sizeof length);
  write_all(fd, header.data(), header.size());
  write_all(fd, data, size);
}

void write_blocks(int fd, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  for (std::size_t left = size; left > 0;) {
    const std::size_t block = std::min(left, block_size);
    write_frame(fd, tag_data, at, block);
    at += block;
    left -= block;
  }
}

void put(std::string& out, const std::string& text) {
  const auto length = static_cast<std::uint32_t>(text.size());
  out.append(reinterpret_cast<const char*>(&length), sizeof length);
  out += text;
}

std::string packed(const Error& error) {
  std::string out(1, static_cast<char>(error.kind()));
  for (const Diagnostic& item : error.diagnostics()) {
    put(out, item.where);
    put(out, item.message);
    put(out, item.hint);
  }
  return out;
}

/// What is being thrown, as the Error that the parent will throw.
Error current_failure() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {ErrorKind::simulation, "the simulation process ran out of memory"};
  } catch (const std::exception& error) {
    return {ErrorKind::internal, fmt::format("the simulation process threw: {}", error.what())};
  } catch (...) {
    return {ErrorKind::internal, "the simulation process threw something unknown"};
  }
}

/// Handlers of the parent (a program's, a test runner's) must not run in the child.
void become_a_child(pid_t parent, const Pipe& words) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before the line above
  for (const int number :
       {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    std::signal(number, SIG_DFL);
  // Standard output belongs to the results of the program; whatever the engine prints is words.
  ::dup2(words.in.get(), STDOUT_FILENO);
  ::dup2(words.in.get(), STDERR_FILENO);
}

using Work = std::function<void(const std::function<void(const void*, std::size_t)>&)>;

[[noreturn]] void run_child(const Work& work, int results) {
  try {
    work([results](const void* data, std::size_t size) { write_blocks(results, data, size); });
    write_frame(results, tag_done, nullptr, 0);
  } catch (...) {
    const std::string failure = packed(current_failure());
    write_frame(results, tag_failure, failure.data(), failure.size());
  }
  if (__gcov_dump != nullptr) __gcov_dump();
  ::_exit(0);  // never back through main: its buffers and handlers are the parent's
}

// --- The parent's side ------------------------------------------------------------------------

/// Takes the stream apart again; a frame may arrive in pieces.
class FrameReader {
 public:
  explicit FrameReader(const std::function<void(const char*, std::size_t)>& receive)
      : receive_(receive) {}

  void take(const char* data, std::size_t size) {
    while (size > 0) {
      const std::size_t used = left_ > 0 ? take_payload(data, size) : take_header(data, size);
      data += used;
      size -= used;
    }
  }

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  std::size_t take_header(const char* data, std::size_t size) {
    const std::size_t used = std::min(size, header_size - header_filled_);
    std::memcpy(header_.data() + header_filled_, data, used);
    header_filled_ += used;
    if (header_filled_ == header_size) {
      header_filled_ = 0;
      std::memcpy(&left_, header_.data() + 1, sizeof left_);
      if (header_[0] == tag_done) done_ = true;
    }
    return used;
  }

  std::size_t take_payload(const char* data, std::size_t size) {
    const std::size_t used = std::min<std::size_t>(size, left_);
    left_ -= static_cast<std::uint32_t>(used);
    if (header_[0] == tag_data)
      receive_(data, used);
    else
      failure_.append(data, used);
    return used;
  }

  const std::function<void(const char*, std::size_t)>& receive_;
  std::array<char, header_size> header_{};
  std::size_t header_filled_ = 0;
  std::uint32_t left_ = 0;
  bool done_ = false;
  std::string failure_;
};

/// The child as the parent sees it: killed if it is still there when the parent stops caring.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }

  int wait() {
    int status = 0;
    const pid_t pid = std::exchange(pid_, -1);
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

 private:
  pid_t pid_;
};

/// Reads what is there; false at the end of the stream.
template <typename Sink>
bool drain_once(int fd, std::array<char, block_size>& buffer, Sink&& sink) {
  const ssize_t count = ::read(fd, buffer.data(), buffer.size());
  if (count < 0) {
    if (errno == EINTR || errno == EAGAIN) return true;
    throw system_failure("cannot read from the simulation process");
  }
  if (count > 0) sink(buffer.data(), static_cast<std::size_t>(count));
  return count > 0;
}

/// Reads both pipes to their ends, so that the child never blocks on either.
void listen(Pipe& results, Pipe& words, FrameReader& reader, std::string& said) {
  std::array<char, block_size> buffer;
  const auto keep_words = [&said](const char* data, std::size_t size) {
    said.append(data, size);
    if (said.size() > 2 * words_kept) said.erase(0, said.size() - words_kept);
  };
  while (results.out.get() >= 0 || words.out.get() >= 0) {
    std::array<pollfd, 2> ends{{{results.out.get(), POLLIN, 0}, {words.out.get(), POLLIN, 0}}};
    if (::poll(ends.data(), ends.size(), -1) < 0) {
      if (errno == EINTR) continue;
      throw system_failure("cannot wait for the simulation process");
    }
    if (ends[0].revents != 0 &&
        !drain_once(results.out.get(), buffer,
                    [&reader](const char* data, std::size_t size) { reader.take(data, size); }))
      results.out.close();
    if (ends[1].revents != 0 && !drain_once(words.out.get(), buffer, keep_words)) words.out.close();
  }
}

Error unpacked(const std::string& bytes) {
  std::size_t at = 1;
  const auto take = [&bytes, &at] {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + at, sizeof length);
    at += sizeof length;
    std::string text = bytes.substr(at, length);
    at += length;
    return text;
  };
  std::vector<Diagnostic> items;
  while (at < bytes.size()) {
    Diagnostic& item = items.emplace_back();
    item.where = take();
    item.message = take();
    item.hint = take();
  }
  return {static_cast<ErrorKind>(bytes[0]), std::move(items)};
}

/// A line of what the child printed, without the blanks around it; empty if it tells nobody
/// anything: the frames of SimGrid's backtraces are unreadable here.
std::string word_of(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  const std::size_t last = line.find_last_not_of(" \t\r");
  const std::string word = line.substr(first, std::min(last - first + 1, word_length));
  return word.starts_with("-> ") || word.starts_with("Backtrace ") ? std::string() : word;
}

/// The last lines of what the child printed, on one line.
std::string last_words(const std::string& said) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < said.size();) {
    const std::size_t end = std::min(said.find('\n', at), said.size());
    const std::string word = word_of(said.substr(at, end - at));
    if (!word.empty()) lines.push_back(word);
    at = end + 1;
  }
  std::string text;
  for (std::size_t i = lines.size() - std::min(lines.size(), word_lines); i < lines.size(); ++i)
    text += (text.empty() ? "" : "; ") + lines[i];
  return text.empty() ? "it said nothing" : "its last words: " + text;
}

Error death_of(int status, const std::string& said) {
  std::string what = "the simulation process ended before its work was done";
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    const char* name = ::sigabbrev_np(number);
    what = fmt::format("the simulation process was killed by signal {} (SIG{})", number,
                       name != nullptr ? name : "?");
  } else if (WIFEXITED(status)) {
    what += fmt::format(", with exit status {}", WEXITSTATUS(status));
  }
  return {ErrorKind::simulation, what, {}, last_words(said)};
}

}  // namespace

void run_isolated(const Work& work, const std::function<void(const char*, std::size_t)>& receive) {
  Pipe results = open_pipe();
  Pipe words = open_pipe();
  std::fflush(nullptr);  // else the child could print the parent's pending text a second time
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw system_failure("cannot start a simulation process");
  if (pid == 0) {
    become_a_child(parent, words);
    run_child(work, results.in.get());
  }
  Child child(pid);
  results.in.close();
  words.in.close();
  FrameReader reader(receive);
  std::string said;
  listen(results, words, reader, said);
  const int status = child.wait();
  if (!reader.failure().empty()) throw unpacked(reader.failure());
  if (!reader.done()) throw death_of(status, said);
}

}  // namespace lockstep
