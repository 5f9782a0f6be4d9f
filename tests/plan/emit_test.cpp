#include "oracle/plan/emit.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "oracle/io/models/model_reader.h"
#include "oracle/plan/lifetimes.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace emit_test {

std::string name_of_tensor(const Graph& graph, const PlanTensor& tensor) {
  static constexpr std::array<std::string_view, 7> kRoles = {"",    "d",  "mask ", "sum ",
                                                             "dw ", "w ", "wide "};
  std::string name(kRoles[static_cast<std::size_t>(tensor.role)]);
  name += graph[tensor.layer].name;
  if (tensor.halos != 0) name += '+';
  return name;
}

/// "reads -> writes" of each item of forward and backward.
std::vector<std::string> operands(const Graph& graph, const Plan& plan, std::size_t stage = 0) {
  const Stage& of = plan.stages[stage];
  std::vector<std::string> lines;
  for (std::uint32_t i = 0; i < of.backward_end.items; ++i) {
    std::string line;
    for (const TensorId id : of.reads_of(of.items[i])) {
      line += name_of_tensor(graph, of.tensors[id]) + ' ';
    }
    line += "->";
    for (const TensorId id : of.writes_of(of.items[i])) {
      line += ' ' + name_of_tensor(graph, of.tensors[id]);
    }
    lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Emit, NamesWhatEachItemReadsAndWrites) {
  const Graph graph = dense_chain({10, 20, 30}, true);
  EXPECT_EQ(operands(graph, plan_of(graph, "serial", 1)),
            (Lines{"input -> fc1", "fc1 -> relu1", "relu1 -> fc2", "fc2 -> loss",
                   "fc2 -> dfc2",  // the loss's backward_data
                   "dfc2 relu1 -> drelu1", "dfc2 relu1 -> dw fc2", "drelu1 relu1 -> dfc1",
                   "dfc1 input -> dw fc1"}));
}

TEST(Emit, GradientsOfWeightsComeLastWhereBackwardIsTwoTurns) {
  const Graph graph = dense_chain({10, 20, 30, 40});
  const std::string strategy = "pipeline:2; micro_batches=2; stages=fc2; schedule=";
  const Lines forward = {"fc1 -> fc2", "fc2 -> fc3", "fc3 -> loss"};
  const auto with_forward = [&](Lines backward) {
    backward.insert(backward.begin(), forward.begin(), forward.end());
    return backward;
  };
  EXPECT_EQ(operands(graph, plan_of(graph, strategy + "1f1b", 2), 1),
            with_forward({"fc3 -> dfc3", "dfc3 fc2 -> dfc2", "dfc3 fc2 -> dw fc3",
                          "dfc2 fc1 -> dfc1", "dfc2 fc1 -> dw fc2"}));
  const Plan plan = plan_of(graph, strategy + "zb_h1", 2);
  EXPECT_EQ(operands(graph, plan, 1),
            with_forward({"fc3 -> dfc3", "dfc3 fc2 -> dfc2", "dfc2 fc1 -> dfc1",
                          "dfc3 fc2 -> dw fc3", "dfc2 fc1 -> dw fc2"}));
  EXPECT_EQ(plan.stages[1].weights_begin, 6U);
  EXPECT_EQ(plan_of(graph, strategy + "1f1b", 2).stages[1].weights_begin, kNoItem);
}

/// Of every layer one pass each, whatever the schedule; those of a batch norm's weights stay.
TEST(Emit, TwoTurnsOfBackwardHaveTheItemsOfOne) {
  const Graph graph = load_model("resnet50");
  const std::string strategy = "data:2,pipeline:4; micro_batches=4; schedule=";
  const Plan one = plan_of(graph, strategy + "1f1b", 16),
             two = plan_of(graph, strategy + "zb_h2", 16);
  for (std::size_t s = 0; s < one.stages.size(); ++s) {
    Lines before = operands(graph, one, s), after = operands(graph, two, s);
    EXPECT_NE(before, after);
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    EXPECT_EQ(before, after);
    const Stage& stage = two.stages[s];
    for (std::uint32_t i = stage.backward_begin; i < stage.backward_end.items; ++i) {
      const auto* work = std::get_if<Work>(&stage.items[i].what);
      if (work == nullptr || work->pass != Pass::backward_weights) continue;
      EXPECT_EQ(i < stage.weights_begin, graph[work->layer].batch_statistics);
    }
  }
}

TEST(Emit, ALossInFp32KeepsItsScoresAndMakesTheirGradient) {
  const Graph graph = dense_chain({10, 20});
  Training training = training_of(1, "bf16");
  training.framework.fp32_loss = true;
  const Plan plan = plan_of(graph, "serial", training);
  EXPECT_EQ(operands(graph, plan),
            (Lines{"input -> fc1", "fc1 -> loss wide loss", "fc1 wide loss -> dfc1 wide loss",
                   "dfc1 input -> dw fc1"}));
  for (const PlanTensor& tensor : plan.stages[0].tensors) {
    const double wide = tensor.role == Role::scores ? 4 * 20 : tensor.bytes.value;
    EXPECT_EQ(tensor.bytes.value, wide);
  }
  training.precision = precision_named("fp32");
  EXPECT_EQ(operands(graph, plan_of(graph, "serial", training)),
            operands(graph, plan_of(graph, "serial", 1)));
}

TEST(Emit, EachTensorIsWrittenOnceAndBeforeItIsRead) {
  for (const char* model : {"resnet50", "googlenet", "mobilenet_v2", "cosmoflow"}) {
    const Graph graph = load_model(model);
    for (const char* strategy :
         {"data:2", "filter:2", "channel:2", "tensor:2,data:2", "height:2", "pipeline:2",
          "data:2,pipeline:2; micro_batches=2", "pipeline:2; micro_batches=2; schedule=zb_h1"}) {
      const Plan plan = plan_of(graph, strategy, 8);
      for (const Stage& stage : plan.stages) {
        std::vector<int> written(stage.tensors.size(), 0);
        for (std::uint32_t i = 0; i < stage.backward_end.items; ++i) {
          for (const TensorId id : stage.reads_of(stage.items[i])) {
            const std::uint32_t maker = stage.tensors[id].made_by;
            EXPECT_TRUE(maker == kNoItem || maker < i) << model << ' ' << strategy << ' ' << i;
          }
          for (const TensorId id : stage.writes_of(stage.items[i])) {
            ++written[id];
            EXPECT_EQ(stage.tensors[id].made_by, i);
          }
        }
        for (TensorId id = 0; id < written.size(); ++id) {
          EXPECT_EQ(written[id], stage.tensors[id].made_by == kNoItem ? 0 : 1);
        }
      }
    }
  }
}

TEST(Emit, ABucketReadsTheGradientsOfItsAxesInTheOrderOfBackward) {
  const Graph graph = load_model("alexnet");
  const Plan plan = plan_of(graph, "conv*=data:4; fc*=data:2,filter:2; bucket=0MiB", 8);
  const Stage& stage = plan.stages.front();
  std::size_t exchanged = 0;
  for (const Item& item : stage.items) {
    if (item.phase != Phase::exchange) continue;
    const auto& transfer = std::get<Transfer>(item.what);
    Bytes sum;
    for (const TensorId id : stage.reads_of(item)) {
      EXPECT_EQ(stage.tensors[id].role, Role::weight_gradient);
      sum += stage.tensors[id].bytes;
      ++exchanged;
    }
    EXPECT_EQ(sum, transfer.bytes);
    EXPECT_EQ(stage.tensors[stage.reads_of(item).back()].layer, transfer.layer);
  }
  EXPECT_EQ(exchanged, stage.backward_end.gradients.size());
  EXPECT_EQ(stage.reads_of(stage.items.back()).size(), exchanged) << "the update reads all";
}

TEST(Emit, MessagesOfStagesMeetTensorByTensor) {
  const Graph graph = load_model("googlenet");
  const Plan plan = plan_of(graph, "pipeline:4", 8);
  for (std::size_t s = 0; s + 1 < plan.stages.size(); ++s) {
    const Stage &here = plan.stages[s], &next = plan.stages[s + 1];
    ASSERT_EQ(here.sent.size(), here.to_next.size());
    ASSERT_EQ(next.received.size(), here.to_next.size());
    ASSERT_EQ(here.returned.size(), here.from_next.size());
    ASSERT_EQ(next.sent_back.size(), here.from_next.size());
    for (std::size_t i = 0; i < here.sent.size(); ++i) {
      EXPECT_EQ(here.tensors[here.sent[i]].layer, here.to_next[i].layer);
      EXPECT_EQ(next.tensors[next.received[i]].layer, here.to_next[i].layer);
    }
    for (std::size_t i = 0; i < here.returned.size(); ++i) {
      EXPECT_EQ(here.tensors[here.returned[i]].layer, here.from_next[i].layer);
      ASSERT_NE(next.sent_back[i], kNoTensor);
      EXPECT_EQ(next.tensors[next.sent_back[i]].role, Role::activation_gradient);
    }
  }
}

}  // namespace emit_test
}  // namespace oracle
