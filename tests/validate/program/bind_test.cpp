#include "validate/program/bind.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "oracle/base/error.h"
#include "tests/plan/tiny_graphs.h"
#include "tests/validate/networks.h"

namespace oracle {
namespace bind_test {

Program program_of(const Graph& graph, const Plan& plan, int rank) {
  return bind(Pieces(graph, plan, plan.micro_batch_samples()), rank);
}

/// Forward and backward of each stage, in turn.
std::vector<const std::vector<Operation>*> directions(const Program& program) {
  std::vector<const std::vector<Operation>*> all;
  for (const StageProgram& stage : program.stages) {
    all.insert(all.end(), {&stage.forward, &stage.backward, &stage.weights});
  }
  return all;
}

std::vector<std::uint32_t> bound_items(const Program& program) {
  std::vector<std::uint32_t> items;
  for (const auto* operations : directions(program)) {
    for (const Operation& operation : *operations) {
      if (const auto* run = std::get_if<LayerRun>(&operation.what)) {
        for (const StatisticsSum& sum : run->statistics) items.push_back(sum.item);
      }
      if (operation.item != kNoPlanItem) items.push_back(operation.item);
    }
  }
  for (const GradientBucket& bucket : program.buckets) items.push_back(bucket.item);
  for (const WeightUpdate& update : program.updates) items.push_back(update.item);
  return items;
}

std::size_t end_of_items(const Program& program, const StageProgram& stage) {
  return &stage == &program.stages.back() ? program.items : (&stage + 1)->first_item;
}

class EveryStrategy : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryStrategy, EveryItemIsBoundOnceAndInOrder) {
  for (const Graph& graph : {plain_network(), residual_network(), volume_network()}) {
    const Plan plan = plan_of(graph, GetParam(), 8);
    for (int rank = 0; rank < static_cast<int>(plan.ranks()); ++rank) {
      const Program program = program_of(graph, plan, rank);
      std::vector<std::uint32_t> items = bound_items(program);
      ASSERT_EQ(items.size(), program.items);
      auto begin = items.begin();
      for (const StageProgram& stage : program.stages) {
        // Messages to other stages stand among the items and are numbered after them.
        const std::size_t own = plan.stages[stage.stage].items.size();
        const std::size_t end = end_of_items(program, stage);
        for (const std::size_t limit : {stage.first_item + own, end}) {
          begin =
              std::stable_partition(begin, items.end(), [&](auto item) { return item < limit; });
        }
      }
      for (std::size_t i = 0; i < items.size(); ++i) EXPECT_EQ(items[i], i);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bind, EveryStrategy,
                         testing::Values("serial", "data:2", "filter:2", "channel:2", "tensor:2",
                                         "height:2,width:2", "data:2,pipeline:2",
                                         "pipeline:2; chunks=2", "data:2,pipeline:3; chunks=2",
                                         "pipeline:2; micro_batches=2; schedule=zb_h1",
                                         "data:2; batch_norm=synchronized"));

TEST(Bind, RefusesChunksOfTwoRanksThatMakeGradientsOfWeightsLater) {
  const Graph graph = plain_network();
  const Plan two = plan_of(graph, "pipeline:2; chunks=2; micro_batches=4; schedule=zb_h1", 8);
  EXPECT_THROW(program_of(graph, two, 0), InputError);
}

TEST(Bind, EveryTensorDiesOnceAndAfterItsLastUse) {
  const Graph graph = residual_network();
  const Plan plan = plan_of(graph, "data:2,height:2", 4);
  const Program program = program_of(graph, plan, 3);
  std::multiset<Slot> dead;
  for (const auto* operations : directions(program)) {
    for (const Operation& operation : *operations) {
      if (const auto* move = std::get_if<Move>(&operation.what)) {
        EXPECT_EQ(dead.count(move->from), 0U);
      }
      if (const auto* run = std::get_if<LayerRun>(&operation.what)) {
        for (const Slot slot : run->inputs) EXPECT_EQ(dead.count(slot), 0U);
      }
      dead.insert(operation.dies.begin(), operation.dies.end());
    }
  }
  EXPECT_EQ(dead.size(), program.slots.size());
  for (Slot slot = 0; slot < program.slots.size(); ++slot) EXPECT_EQ(dead.count(slot), 1U) << slot;
}

/// The layer's pass, and the operation that it is.
std::pair<const LayerRun*, const Operation*> run_of(const Program& program, LayerId id, Pass pass) {
  for (const auto* operations : directions(program)) {
    for (const Operation& operation : *operations) {
      const auto* run = std::get_if<LayerRun>(&operation.what);
      if (run != nullptr && run->layer == id && run->pass == pass) return {run, &operation};
    }
  }
  throw Defect("no such pass");
}

/// x, y = silu(x), z = relu(x), s = y + y, t = s + z.
Graph overwriting_network() {
  GraphBuilder builder("net");
  const LayerId x = builder.add("x", "dense", {builder.input(shape_of(10))},
                                {{"features", std::int64_t{20}}, {"bias", false}});
  const LayerId y = builder.add("y", "activation", {x}, {{"function", "silu"}});
  const LayerId z = builder.add("z", "activation", {x});
  const LayerId s = builder.add("s", "add", {y, y});
  builder.add("loss", "softmax_loss", {builder.add("t", "add", {s, z})});
  return builder.finish();
}

TEST(Bind, ALayerOverwritesWhatNobodyReadsAgain) {
  const Graph graph = overwriting_network();
  const Plan plan = plan_of(graph, "serial", 4);
  const Program program = program_of(graph, plan, 0);
  // silu keeps x for its own backward, s reads y twice; z is kept by relu, but t overwrites s.
  for (const char* name : {"y", "z", "s"}) {
    const auto [run, operation] = run_of(program, id_of(graph, name), Pass::forward);
    EXPECT_EQ(run->in_place.from, kNoSlot) << name;
  }
  const LayerRun& sum = *run_of(program, id_of(graph, "t"), Pass::forward).first;
  EXPECT_EQ(sum.in_place.from, sum.inputs[0]);
  EXPECT_EQ(sum.in_place.to, sum.output);
  const LayerRun& relu = *run_of(program, id_of(graph, "z"), Pass::backward_data).first;
  EXPECT_EQ(relu.in_place.from, relu.output_gradient);
  EXPECT_EQ(relu.in_place.to, relu.input_gradients[0]);
  const LayerRun& silu = *run_of(program, id_of(graph, "y"), Pass::backward_data).first;
  EXPECT_EQ(silu.in_place.from, kNoSlot);
}

TEST(Bind, WhatIsOverwrittenDies) {
  const Graph graph = residual_network();
  const Program program = program_of(graph, plan_of(graph, "data:2,height:2", 4), 3);
  int overwritten = 0;
  for (const auto* operations : directions(program)) {
    for (const Operation& operation : *operations) {
      const auto* run = std::get_if<LayerRun>(&operation.what);
      if (run == nullptr || run->in_place.from == kNoSlot) continue;
      ++overwritten;
      EXPECT_EQ(std::count(operation.dies.begin(), operation.dies.end(), run->in_place.from), 1);
      EXPECT_EQ(program.slots[run->in_place.from].region.extents(),
                program.slots[run->in_place.to].region.extents());
    }
  }
  EXPECT_GT(overwritten, 4);
}

TEST(Bind, ASumGivesOneGradientToBothItsInputs) {
  GraphBuilder builder("block");
  const LayerId conv1 =
      builder.add("conv1", "convolution", {builder.input(shape_of(4, {8, 8}))}, conv3x3(8));
  const LayerId conv2 = builder.add("conv2", "convolution", {conv1}, conv3x3(8));
  const LayerId sum = builder.add("sum", "add", {conv1, conv2});
  builder.add("loss", "softmax_loss", {builder.add("flat", "flatten", {sum})});
  const Graph graph = builder.finish();
  const Program program = program_of(graph, plan_of(graph, "serial", 4), 0);
  const LayerRun& run = *run_of(program, sum, Pass::backward_data).first;
  EXPECT_EQ(run.shared.made, run.input_gradients[0]);
  EXPECT_EQ(run.shared.same, run.input_gradients[1]);
  EXPECT_EQ(run.in_place.to, run.shared.made);
}

/// Two gradients that one layer made as one tensor: `reader` reads one of them, then `writer`
/// writes the other.
Program sharing(bool first_dies) {
  constexpr Slot kGiven = 0, kFirst = 1, kSecond = 2, kTerm = 3;
  Program program;
  program.slots.resize(4);
  LayerRun sum;
  sum.pass = Pass::backward_data;
  sum.output_gradient = kGiven;
  sum.shared = {kFirst, kSecond};
  LayerRun reader;
  reader.output_gradient = kFirst;
  const std::vector<Slot> read_last = first_dies ? std::vector<Slot>{kFirst} : std::vector<Slot>{};
  program.stages.emplace_back().backward = {{sum, kNoPlanItem, {kGiven}},
                                            {reader, kNoPlanItem, read_last},
                                            {GradientSum{kSecond, kTerm}, kNoPlanItem, {kTerm}}};
  return program;
}

TEST(Bind, WhatTwoReadIsNotWrittenUntilOneIsDone) {
  Program sound = sharing(true), unsound = sharing(false);
  EXPECT_NO_THROW(settle_storage(sound));
  EXPECT_THROW(settle_storage(unsound), Defect);
}

TEST(Bind, BucketsHoldTheLayersUpToTheOneTheyName) {
  const Graph graph = plain_network();
  const Plan plan = plan_of(graph, "data:2; bucket=1 KiB", 4);
  const Program program = program_of(graph, plan, 0);
  std::set<LayerId> seen;
  for (const GradientBucket& bucket : program.buckets) {
    const auto& transfer = std::get<Transfer>(plan.stages[0].items[bucket.item].what);
    EXPECT_EQ(bucket.layers.back(), transfer.layer);
    EXPECT_EQ(static_cast<double>(4 * bucket.elements), transfer.bytes.value);
    std::int64_t elements = 0;
    for (const LayerId id : bucket.layers) {
      EXPECT_TRUE(seen.insert(id).second);
      elements += plan.pieces[id].weights;
    }
    EXPECT_EQ(elements, bucket.elements);
  }
  EXPECT_EQ(seen.size(), 4U);
  EXPECT_GT(program.buckets.size(), 1U);
}

TEST(Bind, APlanWithAnItemLessIsADefect) {
  const Graph graph = plain_network();
  Plan plan = plan_of(graph, "filter:2", 4);
  std::vector<Item>& items = plan.stages[0].items;
  const auto transfer = std::find_if(items.begin(), items.end(), [](const Item& item) {
    return std::holds_alternative<Transfer>(item.what);
  });
  items.erase(transfer);
  EXPECT_THROW(program_of(graph, plan, 0), Defect);
}

TEST(Bind, AGradientInFp32BesideThatOfALossIsNoTensorOfItsKernel) {
  const Graph graph = dense_chain({10, 20});
  Training training = training_of(1, "bf16");
  training.framework.fp32_loss = true;
  const Program program = program_of(graph, plan_of(graph, "serial", training), 0);
  const LayerRun& loss = *run_of(program, id_of(graph, "loss"), Pass::backward_data).first;
  ASSERT_EQ(loss.input_gradients.size(), 2U) << "of the scores, and none of the targets";
  EXPECT_NE(loss.input_gradients[0], kNoSlot);
  EXPECT_EQ(loss.input_gradients[1], kNoSlot);
}

TEST(Bind, BackwardReadsWhatWasMadeAgain) {
  const Graph graph = network_of_file("gpt");
  const Program program = program_of(graph, plan_of(graph, "serial; recompute=full", 4), 0);
  std::set<Slot> made_again;
  for (const Operation& operation : program.stages[0].backward) {
    const auto* run = std::get_if<LayerRun>(&operation.what);
    if (run != nullptr && run->pass == Pass::forward) made_again.insert(run->output);
  }
  // The last of a block is not run again, but what it read is.
  const LayerRun& down =
      *run_of(program, id_of(graph, "layers.0.down"), Pass::backward_weights).first;
  EXPECT_TRUE(made_again.contains(down.inputs[0]));
}

TEST(Bind, ARankWithoutTheBiasRunsALayerWithoutOne) {
  const Graph graph = plain_network();
  const Plan plan = plan_of(graph, "channel:2", 4);
  const LayerId conv2 = id_of(graph, "conv2");
  for (const int rank : {0, 1}) {
    const Program program = program_of(graph, plan, rank);
    for (const TrainedLayer& trained : program.trained) {
      if (trained.layer != conv2) continue;
      const Layer& layer = *program.kernels[trained.kernel].layer.layer;
      EXPECT_EQ(layer.weights.size(), rank == 0 ? 2U : 1U);
      EXPECT_EQ(trained.parameters.size(), layer.weights.size());
    }
  }
}

}  // namespace bind_test
}  // namespace oracle
