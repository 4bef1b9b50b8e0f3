// SPDX-License-Identifier: Apache-2.0
// The one place that includes Catch2: a change of its version is a change of this file.
#pragma once
#include <catch2/catch.hpp>
