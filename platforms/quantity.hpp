// SPDX-License-Identifier: Apache-2.0
// Numbers with a dimension: a wrong dimension does not compile.
// Layer: platforms (standard library only).
#pragma once
#include <compare>

namespace lockstep {

/// A double in SI base units whose type carries the exponents of its dimension.
///
///   Time second, Byte byte, Flop floating-point operation, Joule joule, Usd US dollar
///
/// Construction from a number and leaving by `si()` are explicit; sums need equal dimensions,
/// products and quotients compute theirs. A dimensionless quantity becomes a double by itself.
/// Costs nothing at run time. Checked by: unit "quantity", tests/compile_fail.
template <int Time, int Byte, int Flop, int Joule = 0, int Usd = 0>
class Quantity {
 public:
  static constexpr bool dimensionless =
      Time == 0 && Byte == 0 && Flop == 0 && Joule == 0 && Usd == 0;

  constexpr Quantity() = default;
  constexpr explicit Quantity(double si) : si_(si) {}

  /// The value in SI base units.
  [[nodiscard]] constexpr double si() const { return si_; }
  constexpr operator double() const
    requires(dimensionless)
  {
    return si_;
  }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator-() const { return Quantity(-si_); }
  constexpr Quantity& operator+=(Quantity other) { return si_ += other.si_, *this; }
  constexpr Quantity& operator-=(Quantity other) { return si_ -= other.si_, *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.si_ + b.si_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.si_ - b.si_); }
  friend constexpr Quantity operator*(Quantity a, double k) { return Quantity(a.si_ * k); }
  friend constexpr Quantity operator*(double k, Quantity a) { return Quantity(k * a.si_); }
  friend constexpr Quantity operator/(Quantity a, double k) { return Quantity(a.si_ / k); }

 private:
  double si_ = 0.0;
};

template <int T, int B, int F, int J, int U, int t, int b, int f, int j, int u>
constexpr auto operator*(Quantity<T, B, F, J, U> x, Quantity<t, b, f, j, u> y) {
  return Quantity<T + t, B + b, F + f, J + j, U + u>(x.si() * y.si());
}

template <int T, int B, int F, int J, int U, int t, int b, int f, int j, int u>
constexpr auto operator/(Quantity<T, B, F, J, U> x, Quantity<t, b, f, j, u> y) {
  return Quantity<T - t, B - b, F - f, J - j, U - u>(x.si() / y.si());
}

using Ratio = Quantity<0, 0, 0>;
using Seconds = Quantity<1, 0, 0>;
using Bytes = Quantity<0, 1, 0>;
using Flops = Quantity<0, 0, 1>;
using BytesPerSecond = Quantity<-1, 1, 0>;
using FlopsPerSecond = Quantity<-1, 0, 1>;
using Joules = Quantity<0, 0, 0, 1>;
using Watts = Quantity<-1, 0, 0, 1>;
using Usd = Quantity<0, 0, 0, 0, 1>;
using UsdPerSecond = Quantity<-1, 0, 0, 0, 1>;

}  // namespace lockstep
