// Weights that stay as they are: items, state, messages and formats.

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/graph/adapters.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/memory/footprint.h"
#include "oracle/memory/liveness.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace frozen_test {

Training training_in(const char* precision, const StateFormats& formats = {}) {
  Training training;
  training.batch = 8;
  training.precision = precision_named(precision);
  training.optimizer = optimizer_named("adam");
  training.state = formats;
  training.run_by(Framework{});
  return training;
}

Plan planned(const Graph& graph, const char* strategy, const Training& training) {
  auto made = partition(graph, parse_strategy(strategy), training, load_cluster("dgx-h100"));
  if (const auto* refusal = std::get_if<Infeasible>(&made)) {
    throw std::runtime_error(to_text(*refusal));
  }
  return std::get<Plan>(std::move(made));
}

template <typename Take>
std::int64_t count_of(const Stage& stage, Take take) {
  return std::count_if(stage.items.begin(), stage.items.end(), take);
}

bool is_pass(const Item& item, Pass pass) {
  const auto* work = std::get_if<Work>(&item.what);
  return work != nullptr && work->pass == pass;
}

double sent_of(const Stage& stage, Payload payload) {
  double sum = 0;
  for (const Item& item : stage.items) {
    const auto* transfer = std::get_if<Transfer>(&item.what);
    if (transfer != nullptr && transfer->payload == payload) sum += transfer->bytes.value;
  }
  return sum;
}

TEST(Frozen, WorkedNumber) {
  const Graph graph = with_adapters(load_model("gpt_tiny"), 8);
  const Layer& linear = *std::find_if(graph.layers.begin(), graph.layers.end(),
                                      [](const Layer& layer) { return layer.linear; });
  EXPECT_NEAR(frozen_bytes(linear, training_in("bf16", {{}, {}, {}, 4}).precision), 0.516, 5e-4);
  EXPECT_EQ(frozen_bytes(linear, training_in("bf16", {{}, {}, {}, 8}).precision), 1);
  EXPECT_EQ(frozen_bytes(linear, training_in("bf16").precision), 2);
}

/// An adapter's own weights alone have gradients, which travel.
TEST(Frozen, AdaptersAloneAreExchanged) {
  const Graph graph = with_adapters(load_model("gpt_tiny"), 8);
  const Plan plan = planned(graph, "data:4", training_in("bf16"));
  const Stage& stage = plan.stages.front();
  EXPECT_EQ(sent_of(stage, Payload::weight_gradient),
            2 * static_cast<double>(graph.learned_parameters()));
  EXPECT_EQ(count_of(stage, [](const Item& item) { return is_pass(item, Pass::backward_weights); }),
            2 * 2 * 6);
}

/// 2 bytes of what stays; 2, 2, 4 and 8 of weights, gradients, master copy and moments else.
TEST(Frozen, StateIsThatOfWhatLearns) {
  const Graph graph = with_adapters(load_model("gpt_tiny"), 8);
  const Plan plan = planned(graph, "data:4", training_in("bf16"));
  double state = 0;
  for (LayerId id = 1; id < graph.size(); ++id) state += state_bytes(graph, plan, id, 0).value;
  const auto learned = static_cast<double>(graph.learned_parameters()),
             stays = static_cast<double>(graph.parameters()) - learned;
  EXPECT_EQ(state, 2 * stays + 16 * learned);
}

/// The gradient of a linear's input reads its weights alone.
TEST(Frozen, ProductsKeepNoInputs) {
  const Graph whole = load_model("gpt_tiny");
  const auto kept = [](const Graph& graph) {
    const Plan plan = planned(graph, "serial", training_in("bf16"));
    return liveness(graph, plan, 0).kept;
  };
  const Graph tuned = training_only(whole, "layers.0.norm1*");
  EXPECT_LT(kept(tuned).value, 0.8 * kept(whole).value);
}

/// Nothing before the first layer that learns has a gradient.
TEST(Frozen, BackwardEndsWhereNothingLearns) {
  const Graph graph = training_only(load_model("resnet50"), "fc");
  const Plan plan = planned(graph, "serial", training_in("bf16"));
  const Stage& stage = plan.stages.front();
  EXPECT_EQ(count_of(stage, [](const Item& item) { return is_pass(item, Pass::backward_weights); }),
            1);
  EXPECT_EQ(count_of(stage, [](const Item& item) { return is_pass(item, Pass::backward_data); }), 1)
      << "that of the loss";
}

/// Packed weights are unpacked before each product, forward and back, for as long as it takes.
TEST(Frozen, PackedWeightsAreUnpackedForEachProduct) {
  const Graph graph = with_adapters(load_model("gpt_tiny"), 8);
  const Training packed = training_in("bf16", {{}, {}, {}, 4});
  const Plan plan = planned(graph, "serial", packed);
  std::int64_t forward = 0, backward = 0;
  for (const Item& item : plan.stages.front().items) {
    if (!is_pass(item, Pass::quantize)) continue;
    const Work& work = std::get<Work>(item.what);
    const auto weights = static_cast<double>(plan.pieces[work.layer].weights);
    EXPECT_NEAR(work.streamed.value, weights * 2.516, weights * 1e-3);
    ++(item.phase == Phase::forward ? forward : backward);
  }
  EXPECT_EQ(forward, 2 * 6);
  // Those that read what no adapter is before have no gradient of it: q, k and v of block 0.
  EXPECT_EQ(backward, 2 * 6 - 3);
}

/// Shards of what stays are gathered as well; of what the optimizer updates alone, otherwise.
TEST(Frozen, ShardsOfWhatStaysAreGathered) {
  const Graph graph = with_adapters(load_model("gpt_tiny"), 8);
  const auto gathered = [&](const char* strategy) {
    return sent_of(planned(graph, strategy, training_in("bf16")).stages.front(), Payload::weight);
  };
  EXPECT_GT(gathered("data:4; zero=3; reshard=off"),
            2 * static_cast<double>(graph.parameters() - graph.learned_parameters()));
  EXPECT_LT(gathered("data:4; zero=1"), 2.1 * static_cast<double>(graph.learned_parameters()));
}

TEST(Frozen, TheUpdateIsOfWhatLearns) {
  const Graph graph = with_adapters(load_model("gpt_tiny"), 8);
  const Plan plan = planned(graph, "data:4", training_in("bf16"));
  std::int64_t updated = 0;
  for (LayerId id = 1; id < graph.size(); ++id) updated += plan.updated_by_rank(id);
  EXPECT_EQ(updated, graph.learned_parameters());
}

}  // namespace frozen_test
}  // namespace oracle
