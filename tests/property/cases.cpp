// SPDX-License-Identifier: Apache-2.0
// Says at the end how many random cases ran, and fails a run that had none.
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <iostream>

#include "lockstep/tests/support/property.hpp"

namespace {

class CaseCount : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;
  void testRunEnded(const Catch::TestRunStats&) override {
    std::cout << "property cases: " << lockstep::testing::property_cases() << std::endl;
  }
};

CATCH_REGISTER_LISTENER(CaseCount)

}  // namespace

TEST_CASE("a property runs its cases and counts them", "[property]") {
  const std::int64_t before = lockstep::testing::property_cases();
  lockstep::testing::property("a number drawn from a range lies in it", [] {
    const std::int64_t number = lockstep::testing::drawn(3, 9);
    RC_ASSERT(number >= 3 && number <= 9);
  });
  CHECK(lockstep::testing::property_cases() > before);
}
