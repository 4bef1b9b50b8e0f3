// SPDX-License-Identifier: Apache-2.0
// Quantities: dimensions of sums, products and quotients, and what a quantity converts to.
#include "lockstep/platforms/quantity.hpp"

#include <concepts>
#include <type_traits>

#include "lockstep/tests/support/catch.hpp"

namespace {

using lockstep::Bytes;
using lockstep::BytesPerSecond;
using lockstep::Flops;
using lockstep::FlopsPerSecond;
using lockstep::Joules;
using lockstep::Ratio;
using lockstep::Seconds;
using lockstep::Usd;
using lockstep::UsdPerSecond;
using lockstep::Watts;

template <class A, class B>
concept addable = requires(A a, B b) { a + b; };
template <class A, class B>
concept comparable = requires(A a, B b) { a < b; };

static_assert(addable<Seconds, Seconds>);
static_assert(!addable<Seconds, Bytes>);
static_assert(!addable<Seconds, double>);
static_assert(!comparable<Seconds, Bytes>);
static_assert(!std::is_convertible_v<double, Seconds>);
static_assert(std::is_constructible_v<Seconds, double>);
static_assert(!std::is_convertible_v<Seconds, double>);
static_assert(std::is_convertible_v<Ratio, double>);
static_assert(!std::is_convertible_v<double, Ratio>);
static_assert(std::same_as<decltype(Ratio(1.0) + 1.0), double>);
static_assert(std::same_as<decltype(Bytes() / BytesPerSecond()), Seconds>);
static_assert(std::same_as<decltype(Bytes() / Seconds()), BytesPerSecond>);
static_assert(std::same_as<decltype(BytesPerSecond() * Seconds()), Bytes>);
static_assert(std::same_as<decltype(Flops() / FlopsPerSecond()), Seconds>);
static_assert(std::same_as<decltype(Watts() * Seconds()), Joules>);
static_assert(std::same_as<decltype(UsdPerSecond() * Seconds()), Usd>);
static_assert(std::same_as<decltype(Seconds() / Seconds()), Ratio>);
static_assert(!std::same_as<decltype(Bytes() * BytesPerSecond()), Seconds>);
static_assert(sizeof(Seconds) == sizeof(double) && std::is_trivially_copyable_v<Seconds>);
static_assert((Seconds(1.0) + Seconds(2.0)).si() == 3.0);

}  // namespace

TEST_CASE("a quantity is zero until it is given a value", "[quantity]") {
  CHECK(Seconds().si() == 0.0);
  CHECK(Seconds(1.8).si() == 1.8);
}

TEST_CASE("quantities of one dimension add, subtract, scale and compare", "[quantity]") {
  CHECK((Seconds(1.5) - Seconds(2.0)).si() == -0.5);
  CHECK((2.0 * Seconds(1.5)).si() == 3.0);
  CHECK((Seconds(1.5) * 2.0).si() == 3.0);
  CHECK((Seconds(1.5) / 3.0).si() == 0.5);
  CHECK((-Seconds(1.5)).si() == -1.5);
  CHECK(Seconds(1.0) < Seconds(2.0));
  CHECK(Seconds(2.0) >= Seconds(2.0));
  CHECK(Seconds(2.0) == Seconds(2.0));
  CHECK(Seconds(2.0) != Seconds(3.0));
}

TEST_CASE("compound assignment returns the quantity it changed", "[quantity]") {
  Bytes sum;
  (sum += Bytes(4.0)) += Bytes(1.0);
  CHECK(sum.si() == 5.0);
  (sum -= Bytes(2.0)) -= Bytes(2.0);
  CHECK(sum.si() == 1.0);
}

TEST_CASE("products and quotients carry the value in SI", "[quantity]") {
  const Seconds time = Bytes(3e9) / BytesPerSecond(450e9);
  CHECK(time.si() == 3e9 / 450e9);
  CHECK((BytesPerSecond(1.25e9) * Seconds(2.0)).si() == 2.5e9);
  CHECK((UsdPerSecond(32.0 / 3600.0) * Seconds(7200.0)).si() == Approx(64.0).epsilon(1e-12));
}

TEST_CASE("a ratio becomes a number by itself", "[quantity]") {
  const double speedup = Seconds(6.0) / Seconds(1.5);
  CHECK(speedup == 4.0);
  const Ratio share(0.25);
  CHECK(double(share) + 0.5 == 0.75);
}
