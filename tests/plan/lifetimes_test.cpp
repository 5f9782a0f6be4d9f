#include "oracle/plan/lifetimes.h"

#include <gtest/gtest.h>

#include "oracle/io/models/model_reader.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace lifetimes_test {

/// The tensor of a layer in a role that the first item that writes such a one writes.
TensorId tensor_of(const Graph& graph, const Stage& stage, std::string_view layer, Role role) {
  for (TensorId id = 0; id < stage.tensors.size(); ++id) {
    const PlanTensor& tensor = stage.tensors[id];
    if (graph[tensor.layer].name == layer && tensor.role == role) return id;
  }
  return kNoTensor;
}

TEST(Lifetimes, ARectifierWorksInPlaceBothWays) {
  const Graph graph = dense_chain({10, 20, 30}, true);
  const Plan plan = plan_of(graph, "serial", 1);
  const Stage& stage = plan.stages.front();
  const auto storage = [&](std::string_view layer, Role role) {
    return stage.tensors[tensor_of(graph, stage, layer, role)].storage;
  };
  EXPECT_EQ(storage("relu1", Role::activation), storage("fc1", Role::activation));
  EXPECT_EQ(storage("fc1", Role::activation_gradient), storage("relu1", Role::activation_gradient));
  EXPECT_NE(storage("fc2", Role::activation), storage("relu1", Role::activation));
}

TEST(Lifetimes, WhatBackwardReadsIsNotOverwritten) {
  // Whatever lies in one place: of two tensors there, one is dead when the other is written.
  for (const char* model : {"resnet50", "googlenet", "densenet121"}) {
    const Graph graph = load_model(model);
    const Plan plan = plan_of(graph, "data:2", 8);
    const Stage& stage = plan.stages.front();
    const std::vector<std::uint32_t> last = last_moments(stage);
    for (std::uint32_t i = 0; i < stage.backward_begin; ++i) {
      for (const TensorId made : stage.writes_of(stage.items[i])) {
        const Layer& layer = graph[stage.tensors[made].layer];
        if (layer.of(Pass::forward).output_touches == 0) continue;  // a view writes nothing
        for (TensorId other = 0; other < made; ++other) {
          if (stage.tensors[other].storage != stage.tensors[made].storage) continue;
          EXPECT_LE(last[other], moment_of(stage, i)) << model << ' ' << layer.name;
        }
      }
    }
  }
}

TEST(Lifetimes, APartLetsGoOfWhatItWasTakenFrom) {
  // The loss delivers a whole gradient of fc2, which takes its part of it.
  const Graph graph = dense_chain({8, 16, 12});
  const Plan plan = plan_of(graph, "filter:4", 1);
  const Stage& stage = plan.stages.front();
  const std::vector<std::uint32_t> last = last_moments(stage);
  std::size_t parts = 0;
  for (TensorId id = 0; id < stage.tensors.size(); ++id) {
    const TensorId whole = stage.tensors[id].part_of;
    if (whole == kNoTensor) continue;
    ++parts;
    EXPECT_LT(last[whole], last[id]);
    EXPECT_LT(stage.tensors[id].bytes, stage.tensors[whole].bytes);
  }
  EXPECT_GT(parts, 0U);
}

}  // namespace lifetimes_test
}  // namespace oracle
