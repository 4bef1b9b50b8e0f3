// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "lockstep/sim/collectives/collective.hpp"

namespace lockstep {

#define LOCKSTEP_COLLECTIVE(unit) extern const CollectiveInfo collective_##unit;
#include "lockstep/sim/collectives/collectives.def"
#undef LOCKSTEP_COLLECTIVE

std::span<const CollectiveInfo* const> collectives() {
  static const std::array table = {
#define LOCKSTEP_COLLECTIVE(unit) &collective_##unit,
#include "lockstep/sim/collectives/collectives.def"
#undef LOCKSTEP_COLLECTIVE
  };
  return table;
}

const CollectiveInfo* find_collective(std::string_view operation, std::string_view name) {
  for (const CollectiveInfo* info : collectives())
    if (info->operation == operation && info->name == name) return info;
  return nullptr;
}

std::vector<CollectiveFlow> flows_by_step(const std::vector<CollectiveMessage>& messages) {
  std::vector<CollectiveFlow> list;
  list.reserve(messages.size());
  for (const CollectiveMessage& message : messages)
    list.push_back({message.step, message.from, message.to, 1, message.share});
  return list;
}

double collective_tasks(const CollectiveInfo& algorithm, Fidelity fidelity,
                        const CollectiveShape& shape) {
  switch (fidelity) {
    case Fidelity::formula:
      return static_cast<double>(shape.ranks);
    case Fidelity::flows:
      return algorithm.flow_count(shape);
    case Fidelity::steps:
      return algorithm.message_count(shape);
  }
  return 0.0;
}

}  // namespace lockstep
