// SPDX-License-Identifier: Apache-2.0
// What comes back from a child process, and what its death looks like.
#include "lockstep/sim/engine/isolate.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "lockstep/platforms/error.hpp"
#include "lockstep/tests/support/catch.hpp"

namespace {

using Catch::Matchers::Contains;
using lockstep::Diagnostic;
using lockstep::Error;
using lockstep::ErrorKind;
using Send = std::function<void(const void*, std::size_t)>;

void ignore(const char*, std::size_t) {}

/// The error that arrives here when a child runs `work`.
Error error_of(const std::function<void(const Send&)>& work) {
  try {
    lockstep::run_isolated(work, ignore);
  } catch (const Error& error) {
    return error;
  }
  return {ErrorKind::input, "no error"};
}

bool no_child_is_left() {
  return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD;
}

}  // namespace

TEST_CASE("bytes arrive whole and in order, however many") {
  constexpr std::size_t count = 3'000'000;
  std::vector<char> got;
  lockstep::run_isolated(
      [](const Send& send) {
        std::vector<char> data(count);
        for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<char>(i % 251);
        send(data.data(), 1);
        send(data.data() + 1, 0);
        send(data.data() + 1, count - 1);
      },
      [&got](const char* data, std::size_t size) { got.insert(got.end(), data, data + size); });
  REQUIRE(got.size() == count);
  bool right = true;
  for (std::size_t i = 0; i < count; ++i) right = right && got[i] == static_cast<char>(i % 251);
  CHECK(right);
  CHECK(no_child_is_left());
}

TEST_CASE("a child that prints much does not block, and its prints go nowhere") {
  std::string got;
  lockstep::run_isolated(
      [](const Send& send) {
        const std::string line(1000, 'x');
        for (int i = 0; i < 1000; ++i) {
          std::fprintf(stderr, "%s\n", line.c_str());
          send("y", 1);
        }
      },
      [&got](const char* data, std::size_t size) { got.append(data, size); });
  CHECK(got == std::string(1000, 'y'));
}

TEST_CASE("an Error keeps its kind and all that it says") {
  const Error error = error_of([](const Send&) {
    throw Error(ErrorKind::unsupported,
                std::vector{Diagnostic{"a:1:2", "first", "do this"}, Diagnostic{"", "second", ""}});
  });
  CHECK(error.kind() == ErrorKind::unsupported);
  REQUIRE(error.diagnostics().size() == 2);
  CHECK(error.diagnostics()[0].where == "a:1:2");
  CHECK(error.diagnostics()[0].message == "first");
  CHECK(error.diagnostics()[0].hint == "do this");
  CHECK(error.diagnostics()[1].message == "second");
  CHECK(std::string(error.what()) == "a:1:2: first (do this)\nsecond");
}

TEST_CASE("other exceptions are our bugs, but for a lack of memory") {
  const Error known = error_of([](const Send&) { throw std::runtime_error("told so"); });
  CHECK(known.kind() == ErrorKind::internal);
  CHECK_THAT(known.what(), Contains("told so"));
  CHECK(error_of([](const Send&) { throw 7; }).kind() == ErrorKind::internal);
  CHECK(error_of([](const Send&) { throw std::bad_alloc(); }).kind() == ErrorKind::simulation);
}

TEST_CASE("an Error after some bytes is still an Error") {
  const Error error = error_of([](const Send& send) {
    send("abc", 3);
    throw Error(ErrorKind::simulation, "late");
  });
  CHECK(std::string(error.what()) == "late");
}

TEST_CASE("a child that is killed is told by the signal") {
  const Error error = error_of([](const Send&) { static_cast<void>(std::raise(SIGKILL)); });
  CHECK(error.kind() == ErrorKind::simulation);
  CHECK(error.diagnostics()[0].message ==
        "the simulation process was killed by signal 9 (SIGKILL)");
  CHECK(error.diagnostics()[0].hint == "it said nothing");
  CHECK(no_child_is_left());
}

TEST_CASE("a child that aborts is told with its last words") {
  const Error error = error_of([](const Send&) {
    for (int i = 0; i < 20; ++i) std::fprintf(stderr, "  line %d  \n\n", i);
    std::fprintf(stderr, "->  3# a frame of a backtrace\nno end of line");
    std::abort();
  });
  CHECK(error.kind() == ErrorKind::simulation);
  CHECK(error.diagnostics()[0].message ==
        "the simulation process was killed by signal 6 (SIGABRT)");
  // The last ten lines that say something.
  CHECK(error.diagnostics()[0].hint ==
        "its last words: line 11; line 12; line 13; line 14; line 15; line 16; line 17; line 18; "
        "line 19; no end of line");
}

TEST_CASE("a child that leaves before its work is done") {
  const Error error = error_of([](const Send&) { ::_exit(3); });
  CHECK(error.kind() == ErrorKind::simulation);
  CHECK(error.diagnostics()[0].message ==
        "the simulation process ended before its work was done, with exit status 3");
}

TEST_CASE("a receiver that gives up takes the child with it") {
  const auto stop = [](const char*, std::size_t) { throw std::runtime_error("enough"); };
  const auto endless = [](const Send& send) {
    while (true) send("x", 1);
  };
  CHECK_THROWS_WITH(lockstep::run_isolated(endless, stop), "enough");
  CHECK(no_child_is_left());
}

TEST_CASE("handlers of the parent do not run in the child") {
  // Were it inherited, the handler would leave with status 42 instead of dying of the signal.
  const auto previous = std::signal(SIGINT, [](int) { ::_exit(42); });
  const Error error = error_of([](const Send&) { static_cast<void>(std::raise(SIGINT)); });
  std::signal(SIGINT, previous);
  CHECK(error.diagnostics()[0].message == "the simulation process was killed by signal 2 (SIGINT)");
}

TEST_CASE("a child does not outlive its parent") {
  // A middle process starts a child that sleeps, tells its id, and is killed; the write end of the
  // pipe that both hold closes only when the sleeper is gone as well.
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t middle = ::fork();
  REQUIRE(middle >= 0);
  if (middle == 0) {
    ::close(ends[0]);
    lockstep::run_isolated(
        [&ends](const Send&) {
          static_cast<void>(::write(ends[1], "s", 1) == 1);
          ::sleep(600);
        },
        ignore);
    ::_exit(0);
  }
  ::close(ends[1]);
  char byte = 0;
  REQUIRE(::read(ends[0], &byte, 1) == 1);  // the sleeper sleeps
  ::kill(middle, SIGKILL);
  CHECK(::read(ends[0], &byte, 1) == 0);  // end of the stream: nobody holds the other end
  ::waitpid(middle, nullptr, 0);
  ::close(ends[0]);
}
