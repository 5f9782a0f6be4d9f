#include "tests/properties/random_strategy.h"

#include <algorithm>
#include <array>

#include "oracle/base/pattern.h"

namespace oracle {
namespace {

Cut random_cut(Random& random, bool pipeline_allowed) {
  const Cut cut =
      random.pick({Cut::sample, Cut::sample, Cut::sample, Cut::spatial, Cut::depth, Cut::height,
                   Cut::width, Cut::filter, Cut::filter, Cut::channel, Cut::alternate,
                   Cut::alternate, Cut::none, Cut::pipeline, Cut::pipeline});
  return cut == Cut::pipeline && !pipeline_allowed ? Cut::sample : cut;
}

void draw_mesh(Random& random, std::int64_t ranks, Strategy& strategy) {
  std::int64_t left = random.chance(0.03) ? 2 * ranks : ranks;
  for (std::int64_t axes = random.pick<std::int64_t>({0, 1, 1, 2, 2, 2, 3}); axes > 0; --axes) {
    const auto degree = random.pick<std::int64_t>({1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 8});
    if (degree > left) continue;
    left /= degree;
    strategy.mesh.push_back({degree, random_cut(random, !strategy.has(Cut::pipeline))});
  }
}

/// A range that names one layer, a kind of layers, or two kinds.
std::string random_pattern(Random& random, const Graph& graph) {
  const auto last = static_cast<std::int64_t>(graph.size()) - 1;
  const auto draw = [&] { return graph[static_cast<LayerId>(random.whole(1, last))].name; };
  const auto family = [](std::string name) {
    name.resize(name.find_first_of("0123456789"));
    return name + '*';
  };
  switch (random.whole(0, 3)) {
    case 0:
      return draw();
    case 1:
      return family(draw()) + '|' + family(draw());
    case 2:
      return "fc*";
    default:
      return "conv*";
  }
}

/// A rule that decides no layer is refused.
void drop_shadowed(const Graph& graph, Strategy& strategy) {
  std::vector<bool> decides(strategy.rules.size(), false);
  for (LayerId id = 1; id < graph.size(); ++id) {
    for (std::size_t r = 0; r < strategy.rules.size(); ++r) {
      if (!matches(strategy.rules[r].pattern, graph[id].name)) continue;
      decides[r] = true;
      break;
    }
  }
  for (std::size_t r = decides.size(); r-- > 0;) {
    if (!decides[r]) strategy.rules.erase(strategy.rules.begin() + static_cast<std::ptrdiff_t>(r));
  }
}

void draw_rules(Random& random, const Graph& graph, Strategy& strategy) {
  for (std::int64_t rules = random.whole(1, 2); rules > 0; --rules) {
    LayerRule rule{random_pattern(random, graph), {}};
    for (const MeshAxis& axis : strategy.mesh) {
      const bool staged = axis.cut == Cut::pipeline;
      rule.cuts.push_back(staged ? Cut::pipeline : random_cut(random, false));
    }
    strategy.rules.push_back(std::move(rule));
  }
  drop_shadowed(graph, strategy);
  const bool every_layer_follows = !strategy.has(Cut::pipeline) && random.chance(0.4);
  if (!every_layer_follows) return;
  for (MeshAxis& axis : strategy.mesh) axis.cut = Cut::follow;
}

}  // namespace

void draw_chunks(Random& random, Strategy& strategy) {
  std::int64_t ranks = 1;
  for (const MeshAxis& axis : strategy.mesh) {
    if (axis.cut == Cut::pipeline) ranks *= axis.degree;
  }
  if (ranks == 1) return;
  strategy.chunks = random.whole(2, 3);
  strategy.micro_batches = ranks * random.whole(1, 2);
  const bool parts = ranks > 2 && random.chance(0.5);  // bind() refuses two
  strategy.schedule = parts ? PipelineSchedule::zb_h1 : PipelineSchedule::one_f_one_b;
}

Strategy random_strategy(Random& random, const Graph& graph, std::int64_t ranks) {
  Strategy strategy;
  draw_mesh(random, ranks, strategy);
  if (!strategy.mesh.empty() && random.chance(0.3)) draw_rules(random, graph, strategy);
  strategy.micro_batches = random.pick<std::int64_t>({0, 0, 1, 2, 3, 4});
  strategy.schedule = random.pick({PipelineSchedule::one_f_one_b, PipelineSchedule::gpipe,
                                   PipelineSchedule::zb_h1, PipelineSchedule::zb_h2});
  strategy.exchange = random.pick<std::string>(
      {"auto", "auto", "ring", "tree", "double_tree", "halving_doubling", "hierarchical"});
  strategy.bucket = Bytes{random.pick<double>({1, 1024, 16384, 262144, 26214400})};
  strategy.overlap = random.chance(0.7);
  strategy.batch_norm =
      random.pick({BatchNormMode::per_replica, BatchNormMode::synchronized, BatchNormMode::local});
  if (strategy.has(Cut::pipeline) && random.chance(0.3)) draw_chunks(random, strategy);
  return strategy;
}

Training random_training(Random& random, const Device& device) {
  Training training;
  training.batch = random.chance(0.1) ? random.whole(1, 6) : random.whole(16, 64);
  std::string precision = random.pick<std::string>({"fp32", "tf32", "fp16", "bf16"});
  if (precision == "bf16" && training.batch % 2 == 0) {
    constexpr std::array<const char*, 4> kNarrow = {"fp8", "fp8_block", "mxfp8", "fp4"};
    precision = kNarrow[static_cast<std::size_t>(training.batch / 2) % kNarrow.size()];
  }
  training.precision = precision_named(precision);
  const bool offered = device.peak_of(training.precision.compute).value > 0;
  if (!offered && random.chance(0.9)) training.precision = precision_named("fp32");
  training.optimizer = optimizer_named(random.pick<std::string>({"sgd", "momentum", "adam"}));
  return training;
}

}  // namespace oracle
