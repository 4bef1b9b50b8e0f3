// SPDX-License-Identifier: Apache-2.0
// The main function of the test programs.
#define CATCH_CONFIG_MAIN
#include "lockstep/tests/support/catch.hpp"
