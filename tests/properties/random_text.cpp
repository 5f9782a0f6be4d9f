#include "tests/properties/random_text.h"

#include "oracle/graph/adapters.h"
#include "oracle/io/models/transformers/architecture.h"
#include "tests/properties/random_strategy.h"

namespace oracle {
namespace {

using transformers::Architecture, transformers::HeadNorms, transformers::NormPlaces;
using Whole = std::int64_t;

void draw_sizes(Random& random, Architecture& of) {
  of.layers = random.whole(1, 3);
  of.head_size = random.pick<Whole>({4, 6, 8});
  of.kv_heads = random.pick<Whole>({1, 2, 2, 3, 4});
  of.heads = of.kv_heads * random.pick<Whole>({1, 1, 2, 4});
  of.hidden = random.chance(0.8) ? of.heads * of.head_size : random.whole(12, 40);
  of.ffn = random.whole(9, 48);
  of.vocabulary = random.whole(17, 70);
}

void draw_form(Random& random, Whole sequence, Architecture& of) {
  const bool modern = random.chance(0.5);
  of.rms = modern;
  of.gated = modern || random.chance(0.2);
  of.activation = modern ? "silu" : "gelu";
  of.causal = random.chance(0.8);
  (modern ? of.rotary : of.positions) = modern ? of.head_size : sequence;
  of.query_bias = !modern || random.chance(0.3);
  of.output_bias = of.mlp_bias = !modern;
  of.head_bias = random.chance(0.2);
  of.tied = random.chance(0.3);
  if (modern && random.chance(0.2)) of.head_norms = HeadNorms::each;
  of.embedding_norm = !modern && random.chance(0.2);
  if (of.embedding_norm) of.norm_places = NormPlaces::sums;
  of.parallel = !of.embedding_norm && random.chance(0.15);
  of.one_norm = of.parallel && random.chance(0.5);
  if (!of.parallel && !of.embedding_norm && random.chance(0.15)) {
    of.norm_places = NormPlaces::around;
  }
  if (of.causal && random.chance(0.2)) {
    of.window.assign(static_cast<std::size_t>(of.layers), random.whole(1, sequence));
  }
}

void draw_latents(Random& random, Architecture& of) {
  of.kv_heads = of.heads;
  of.rotary = 0;
  of.latent = {random.chance(0.5) ? random.whole(4, 12) : 0, random.whole(4, 12),
               random.pick<Whole>({4, 6}), random.pick<Whole>({2, 4}), random.pick<Whole>({4, 8})};
}

/// The gated delta net, or Mamba-2; blocks of one part alone for some.
void draw_linear(Random& random, Architecture& of) {
  transformers::LinearAttention& linear = of.linear;
  linear.heads = random.pick<Whole>({1, 2, 2, 4});
  linear.value_heads = linear.heads * random.pick<Whole>({1, 2, 3});
  linear.head_size = random.pick<Whole>({4, 6});
  linear.value_size = random.pick<Whole>({3, 4, 8});
  linear.taps = random.whole(1, 4);
  linear.decay = random.chance(0.5);
  linear.chunk = random.chance(0.5) ? random.whole(1, 9) : 0;
  linear.taps_bias = random.chance(0.5);
  for (Whole i = 0; i < of.layers; ++i) linear.in_layer.push_back(random.chance(0.7));
  of.gated_attention = random.chance(0.4);
  if (of.norm_places != NormPlaces::before || of.parallel || random.chance(0.6)) return;
  using transformers::Part;
  for (Whole i = 0; i < of.layers; ++i) {
    of.parts.push_back(i == 0 ? Part::attention : random.pick({Part::attention, Part::mlp}));
  }
}

void draw_experts(Random& random, Architecture& of) {
  of.experts.count = random.pick<Whole>({2, 4, 4, 8});
  of.experts.per_token = random.whole(1, 2);
  of.experts.features = random.whole(6, 24);
  of.experts.shared_features = random.chance(0.4) ? random.whole(6, 24) : 0;
  of.experts.shared_gate = of.experts.shared_features > 0 && random.chance(0.5);
  of.experts.correction = random.chance(0.3);
  of.experts.latent = random.chance(0.2) ? random.whole(4, 12) : 0;
  for (Whole i = 0; i < of.layers; ++i) of.experts.in_layer.push_back(random.chance(0.8));
}

/// One axis at most is a pipeline, and one a ring.
Cut random_text_cut(Random& random, const Strategy& other) {
  const Cut cut = random.pick({Cut::sample, Cut::sample, Cut::context, Cut::context, Cut::ring,
                               Cut::ulysses, Cut::ulysses, Cut::filter, Cut::alternate,
                               Cut::alternate, Cut::alternate_sequence, Cut::alternate_sequence,
                               Cut::expert, Cut::expert, Cut::pipeline});
  if (cut == Cut::ring && other.has(cut)) return Cut::context;
  return cut == Cut::pipeline && other.has(cut) ? Cut::sample : cut;
}

/// Ranks that cut features each have the whole loss, as kernels run it; all else as the mesh says.
void leave_loss_whole(Strategy& strategy) {
  LayerRule loss{"loss", {}}, others{"*", {}};
  for (const MeshAxis& axis : strategy.mesh) {
    const bool features = axis.cut == Cut::filter || axis.cut == Cut::alternate ||
                          axis.cut == Cut::alternate_sequence;
    loss.cuts.push_back(features ? Cut::none : axis.cut);
    others.cuts.push_back(axis.cut);
  }
  strategy.rules = {std::move(loss), std::move(others)};
}

}  // namespace

Graph random_text_graph(Random& random) {
  Architecture of;
  const Whole sequence = random.pick<Whole>({8, 12, 16, 16, 21});
  draw_sizes(random, of);
  draw_form(random, sequence, of);
  if (random.chance(0.15)) draw_latents(random, of);
  if (random.chance(0.2)) draw_linear(random, of);
  if (random.chance(0.5)) {
    draw_experts(random, of);
  } else if (!of.gated && random.chance(0.5)) {
    of.activation = "relu";  // which kernels fuse with what makes its input
  }
  Graph graph = build(of, "random text", sequence);
  const bool adapts = random.chance(0.25);
  const auto rank = random.pick<std::int64_t>({2, 4, 16});
  return adapts ? with_adapters(graph, rank, random.pick<std::string>({"*", "*.o|*.q"})) : graph;
}

Strategy random_text_strategy(Random& random, std::int64_t ranks) {
  Strategy strategy;
  std::int64_t left = ranks;
  for (std::int64_t axes = random.pick<std::int64_t>({0, 1, 1, 2, 2, 2, 3}); axes > 0; --axes) {
    const auto degree = random.pick<std::int64_t>({1, 2, 2, 2, 2, 3, 4, 4});
    if (degree > left) continue;
    left /= degree;
    strategy.mesh.push_back({degree, random_text_cut(random, strategy)});
  }
  strategy.micro_batches = random.pick<std::int64_t>({0, 0, 1, 2, 3, 4});
  strategy.schedule = random.pick({PipelineSchedule::one_f_one_b, PipelineSchedule::gpipe,
                                   PipelineSchedule::zb_h1, PipelineSchedule::zb_h2});
  strategy.bucket = Bytes{random.pick<double>({1, 1024, 16384, 262144, 26214400})};
  strategy.overlap = random.chance(0.7);
  strategy.zero = random.pick({0, 0, 1, 2, 3});
  strategy.shard = strategy.zero > 0 ? random.pick<std::int64_t>({0, 2}) : 0;
  if (strategy.shard > 0 && left >= 2) strategy.mesh.push_back({2, Cut::sample});
  if (!strategy.mesh.empty() && random.chance(0.4)) leave_loss_whole(strategy);
  strategy.sync =
      random.pick({GradientSync::automatic, GradientSync::automatic, GradientSync::automatic,
                   GradientSync::step, GradientSync::micro_batch});
  strategy.reshard = random.chance(0.5);
  if (strategy.has(Cut::expert)) {
    strategy.token_groups = random.pick<std::int64_t>({0, 0, 1, kAllTokenGroups});
    strategy.expert_load =
        parse_expert_load(random.pick<std::string>({"uniform", "uniform", "1.3", "zipf:1"}));
  }
  strategy.recompute = random.pick<std::string>(
      {"", "", "full", "*.norm*", "layers.0.*", "except:*.attention|*.norm2"});
  strategy.regather = random.chance(0.4);
  strategy.tensor_overlap = strategy.has(Cut::alternate_sequence) && random.chance(0.4);
  if (strategy.has(Cut::pipeline) && random.chance(0.5)) draw_chunks(random, strategy);
  if (strategy.has(Cut::pipeline) && random.chance(0.3)) strategy.stages = {"even"};
  strategy.expert_overlap = strategy.has(Cut::expert) && strategy.regather &&
                            strategy.schedule == PipelineSchedule::one_f_one_b;
  return strategy;
}

void draw_state(Random& random, Training& training) {
  if (random.chance(0.3)) training.state.gradients = 4;
  if (random.chance(0.2)) training.state.reduce = 2;
  if (training.precision.master_bytes > 0 && random.chance(0.3)) {
    training.state.master = random.pick({0, 4, 8});
  }
  Framework framework;
  framework.fp32_weights = random.chance(0.3);
  framework.promotes = framework.fp32_weights && random.chance(0.5);
  framework.fp32_loss = random.chance(0.5);
  if (training.precision.master_bytes > 0 && random.chance(0.2)) training.state.frozen = 4;
  framework.weights_rows_early = random.chance(0.3);
  framework.recomputes_whole_blocks = random.chance(0.3);
  training.run_by(framework);
  if (random.chance(0.3)) {
    training.optimizer = optimizer_named(random.pick<std::string>({"adam_bf16", "adam8bit"}));
  }
}

}  // namespace oracle
