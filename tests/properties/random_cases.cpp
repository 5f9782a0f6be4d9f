#include "tests/properties/random_cases.h"

#include <algorithm>

#include "oracle/plan/cuts/cut.h"

namespace oracle {
namespace {

/// Whatever tensor_sequence cuts has whole experts on each rank.
void send_tokens_from_positions(Strategy& strategy) {
  const auto send = [](Cut& cut) {
    if (cut == Cut::alternate_sequence) cut = Cut::alternate_expert;
  };
  for (MeshAxis& axis : strategy.mesh) send(axis.cut);
  for (LayerRule& rule : strategy.rules) std::for_each(rule.cuts.begin(), rule.cuts.end(), send);
}

}  // namespace

Case random_case(std::uint64_t seed) {
  Random random(seed * 0x2545f4914f6cdd1dU + 1);
  Case drawn;
  drawn.seed = seed;
  const bool text = seed >= kTexts.first_seed;
  drawn.graph = text ? random_text_graph(random) : random_graph(random);
  drawn.cluster = random_cluster(random);
  drawn.profile = random_profile(random, drawn.cluster);
  const std::int64_t ranks = drawn.cluster.ranks();
  drawn.strategy =
      text ? random_text_strategy(random, ranks) : random_strategy(random, drawn.graph, ranks);
  const bool routes = text && finds_parts(drawn.graph, Cut::expert) && Random(seed * 3).chance(0.7);
  if (routes) send_tokens_from_positions(drawn.strategy);
  // A processor has no host to offload to.
  Random host(~seed);
  if (drawn.cluster.device.device_class != DeviceClass::cpu) {
    drawn.strategy.offload.optimizer = host.chance(0.15);
    drawn.strategy.offload.activations = host.chance(0.15);
    if (drawn.strategy.offload.activations && host.chance(0.3)) drawn.strategy.offload.blocks = 2;
  }
  drawn.training = random_training(random, drawn.cluster.device);
  if (text) draw_state(random, drawn.training);
  return drawn;
}

std::string to_text(const Case& drawn) {
  std::string text = "seed " + std::to_string(drawn.seed) + ": " + to_text(drawn.strategy);
  text += ", batch " + std::to_string(drawn.training.batch);
  text += ' ' + std::string(drawn.training.precision.name);
  text += ' ' + std::string(drawn.training.optimizer.name);
  text += ", " + std::to_string(drawn.graph.size()) + " layers, units ";
  for (const Level& level : drawn.cluster.levels) {
    text += (&level == &drawn.cluster.levels.front() ? "" : "x") + std::to_string(level.units);
  }
  return text + ", " + std::to_string(drawn.cluster.ranks_per_device) + " ranks per device";
}

}  // namespace oracle
