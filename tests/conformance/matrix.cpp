// SPDX-License-Identifier: Apache-2.0
// The built-in matrix: no mismatch, at least 200 equal rows, and its counts printed.
#include "lockstep/sim/matrix.hpp"

#include <iostream>
#include <map>

#include "lockstep/tests/support/catch.hpp"

namespace lockstep {

TEST_CASE("the built-in validation matrix") {
  std::map<Verdict, int> counts;
  double worst = 0.0;
  for (const MatrixEntry& entry : built_in_matrix()) {
    JudgeOptions options;
    options.engine = entry.engine;
    for (const Row& row : judge(*entry.scenario, options)) {
      INFO(row.scenario << " " << row.quantity << ": " << row.reason);
      CHECK(row.verdict != Verdict::mismatch);
      ++counts[row.verdict];
      if (row.verdict == Verdict::equal) worst = std::max(worst, row.residual);
    }
  }
  std::cout << "validate rows:";
  for (const auto& [verdict, count] : counts) std::cout << " " << count << " " << name_of(verdict);
  std::cout << "; largest residual of an equal row " << worst << "\n";
  CHECK(counts[Verdict::equal] >= 200);
  CHECK(counts[Verdict::explained] >= 9);
  CHECK(worst <= 1e-9);
}

}  // namespace lockstep
