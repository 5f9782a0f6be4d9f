#include "tests/properties/random_cases.h"

namespace oracle {

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
