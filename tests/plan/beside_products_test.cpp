#include "oracle/plan/beside_products.h"

#include <gtest/gtest.h>

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/plan/emit.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace beside_products_test {

/// norm → fc1 → fc2 → sum of both ends, of 16 positions.
Graph two_linears() {
  GraphBuilder builder("two");
  Shape text = shape_of(32);
  text[Axis::sequence] = 16;
  const LayerId embedded = builder.add("embedded", "dense", {builder.input(text)},
                                       {{"features", std::int64_t{32}}, {"bias", false}});
  const LayerId norm = builder.add("norm", "layer_norm", {embedded});
  const LayerId fc1 =
      builder.add("fc1", "dense", {norm}, {{"features", std::int64_t{64}}, {"bias", false}});
  const LayerId fc2 =
      builder.add("fc2", "dense", {fc1}, {{"features", std::int64_t{32}}, {"bias", false}});
  const LayerId sum = builder.add("sum", "add", {fc2, embedded});
  builder.add("loss", "softmax_loss", {builder.add("last", "layer_norm", {sum})});
  return builder.finish();
}

Plan planned(const std::string& options, const char* precision = "bf16") {
  Training training = training_of(4);
  training.precision = precision_named(precision);
  const Strategy strategy = parse_strategy(
      "embedded|norm|sum|last=context:4; fc*=tensor_sequence:4; loss=context:4" + options);
  auto made =
      partition(two_linears(), strategy, training, load_cluster("4x1xb200-sxm-180gb,net=50GB/s"));
  if (const auto* refusal = std::get_if<Infeasible>(&made)) {
    throw std::runtime_error(to_text(*refusal));
  }
  return std::get<Plan>(std::move(made));
}

/// "all_gather forward 4: fc1 forward", a line for each message.
std::vector<std::string> lines_of(const Plan& plan) {
  const Graph graph = two_linears();
  const Stage& stage = plan.stages.front();
  std::vector<std::string> lines;
  for (const BesideProducts& one : stage.beside_products) {
    const Item& item = stage.items[one.transfer];
    const auto& transfer = std::get<Transfer>(item.what);
    std::string line = std::string(name_of(transfer.collective)) + " " +
                       std::string(name_of(item.phase)) + " " + std::to_string(one.pieces) + ":";
    for (const std::uint32_t product : one.products) {
      const Work& work = std::get<Work>(stage.items[product].what);
      line += " " + graph[work.layer].name + " " + std::string(name_of(work.pass));
    }
    lines.push_back(line);
  }
  return lines;
}

TEST(BesideProducts, WorkedExample) {
  const std::vector<std::string> kept = {"all_gather forward 4: fc1 forward",
                                         "reduce_scatter forward 4: fc2 forward",
                                         "all_gather backward 4: fc2 backward_data",
                                         "reduce_scatter backward 1: fc1 backward_weights"};
  EXPECT_EQ(lines_of(planned("; tensor_overlap=on")), kept);
}

/// What is gathered again is there for backward_weights.
TEST(BesideProducts, InputsThatAreGatheredAgainComeWhole) {
  const std::vector<std::string> again = {
      "all_gather forward 4: fc1 forward", "reduce_scatter forward 4: fc2 forward",
      "all_gather backward 4: fc2 backward_data", "all_gather backward 1: fc1 backward_data",
      "reduce_scatter backward 1: fc1 backward_weights"};
  EXPECT_EQ(lines_of(planned("; tensor_overlap=on; regather=on")), again);
}

/// What is turned into 8 bits on its way is the same message.
TEST(BesideProducts, OperandsOfEightBitsComeAsOthers) {
  EXPECT_EQ(lines_of(planned("; tensor_overlap=on", "fp8")),
            lines_of(planned("; tensor_overlap=on")));
}

/// backward_weights reads a gradient with such scales turned round: it is gathered for that again.
TEST(BesideProducts, NothingHidesGathersOfGradientsInBlocksOfScales) {
  const std::vector<std::string> kept = {"all_gather forward 4: fc1 forward",
                                         "reduce_scatter forward 4: fc2 forward",
                                         "reduce_scatter backward 1: fc1 backward_weights"};
  EXPECT_EQ(lines_of(planned("; tensor_overlap=on", "mxfp8")), kept);
}

TEST(BesideProducts, NothingIsUnlessAsked) { EXPECT_TRUE(lines_of(planned("")).empty()); }

TEST(BesideProducts, AllReducesAreWaitedFor) {
  const Strategy strategy = parse_strategy("tensor:4; tensor_overlap=on");
  const auto made = partition(two_linears(), strategy, training_of(4), flat_cluster());
  EXPECT_TRUE(lines_of(std::get<Plan>(made)).empty());
}

}  // namespace beside_products_test
}  // namespace oracle
