// Linear products in 8 bits and fewer: formats, items and tensors of the plan.

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/memory/footprint.h"
#include "oracle/plan/emit.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace narrow_formats_test {

Training training_in(const char* precision, std::int64_t batch, const Framework& framework = {}) {
  Training training;
  training.batch = batch;
  training.precision = precision_named(precision);
  training.optimizer = optimizer_named("adam");
  training.run_by(framework);
  return training;
}

Plan planned(const Graph& graph, const std::string& strategy, const Training& training) {
  const Strategy parsed = parse_strategy(strategy);
  auto made = partition(graph, parsed, training, load_cluster("1024x1xb200-sxm-180gb,net=50GB/s"));
  if (const auto* refusal = std::get_if<Infeasible>(&made)) {
    throw std::runtime_error(to_text(*refusal));
  }
  return std::get<Plan>(std::move(made));
}

/// One linear and a sum with what it reads, so that it makes no scores.
Graph one_linear(std::int64_t features) {
  GraphBuilder builder("one");
  const LayerId input = builder.input(shape_of(features));
  const LayerId first = builder.add("first", "layer_norm", {input});
  const LayerId fc = builder.add("fc", "dense", {first}, {{"features", features}, {"bias", false}});
  builder.add("loss", "softmax_loss", {builder.add("sum", "add", {fc, first})});
  return builder.finish();
}

/// Queries, keys and values of one text, whose linears read one tensor.
Graph projections() {
  GraphBuilder builder("projections");
  Shape text = shape_of(32);
  text[Axis::sequence] = 16;
  const LayerId norm = builder.add("norm", "layer_norm", {builder.input(text)});
  std::vector<LayerId> read;
  for (const char* name : {"q", "k", "v"}) {
    read.push_back(
        builder.add(name, "dense", {norm}, {{"features", std::int64_t{32}}, {"bias", false}}));
  }
  const LayerId attention =
      builder.add("attention", "attention", read, {{"heads", std::int64_t{4}}});
  const LayerId out =
      builder.add("o", "dense", {attention}, {{"features", std::int64_t{32}}, {"bias", false}});
  builder.add("loss", "softmax_loss", {builder.add("sum", "add", {out, norm})});
  return builder.finish();
}

std::vector<const Item*> conversions_of(const Stage& stage) {
  return items_of(stage, Pass::quantize);
}

double streamed(const Item& item) { return std::get<Work>(item.what).streamed.value; }

TEST(NarrowFormats, HaveTheBytesOfTheirTable) {
  const auto value = [](const char* name) { return precision_named(name).narrow.value_bytes(); };
  const auto weight = [](const char* name) { return precision_named(name).narrow.weight_bytes(); };
  EXPECT_EQ(value("fp8"), 1);
  EXPECT_EQ(weight("fp8"), 1);
  EXPECT_EQ(value("fp8_block"), 1.03125);
  EXPECT_EQ(weight("fp8_block"), 1 + 4.0 / 16384);
  EXPECT_EQ(value("mxfp8"), 1.03125);
  EXPECT_EQ(weight("mxfp8"), 1.03125);
  EXPECT_EQ(value("fp4"), 0.5625);
  EXPECT_EQ(weight("fp4"), 0.5625);
  for (const Precision& precision : all_precisions()) {
    if (precision.narrow.bits == 0) continue;
    EXPECT_EQ(wide_of(precision.compute), DataType::bf16) << precision.name;
    EXPECT_EQ(precision.activation_bytes, precision_named("bf16").activation_bytes);
    EXPECT_EQ(precision.master_bytes, precision_named("bf16").master_bytes);
  }
}

TEST(NarrowFormats, KeepWeightsInTwoLayoutsAndSendOne) {
  const Graph graph = one_linear(64);
  const WeightBytes linear = WeightBytes::of(graph[2], training_in("fp8", 1).precision);
  EXPECT_EQ(linear.kept, 2);
  EXPECT_EQ(linear.used, 1);
  EXPECT_EQ(linear.sent, 1);
  EXPECT_EQ(linear.cast, 0);
  const WeightBytes norm = WeightBytes::of(graph[1], training_in("fp8", 1).precision);
  EXPECT_EQ(norm.kept, 2);
  EXPECT_EQ(norm.used, 2);
  Framework wide;
  wide.fp32_weights = true;
  const WeightBytes cast = WeightBytes::of(graph[2], training_in("fp8", 1, wide).precision);
  EXPECT_EQ(cast.kept, 4);
  EXPECT_EQ(cast.used, 1);
  EXPECT_EQ(cast.sent, 4);
  EXPECT_EQ(cast.cast, 2);
}

TEST(NarrowFormats, WorkedNumber) {
  const Plan plan = planned(one_linear(4096), "serial", training_in("fp8", 1024));
  const auto items = conversions_of(plan.stages.front());
  const double values = 1024 * 4096;
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0]->phase, Phase::forward);
  EXPECT_EQ(items[1]->phase, Phase::backward);
  for (const Item* item : items) {
    EXPECT_EQ(streamed(*item), 2 * values + 2 * values);
    EXPECT_EQ(item->writes.count, 2U);
  }
  EXPECT_EQ(2 * values, 8388608);
}

/// In rows for the gradient of the input, turned round for that of the weights.
TEST(NarrowFormats, GiveEachProductItsLayout) {
  const Plan plan = planned(one_linear(64), "serial", training_in("fp8", 16));
  const Stage& stage = plan.stages.front();
  const auto items = conversions_of(stage);
  const auto input = stage.writes_of(*items[0]), gradient = stage.writes_of(*items[1]);
  std::vector<TensorId> forward, data, weights;
  for (const Item& item : stage.items) {
    const auto* work = std::get_if<Work>(&item.what);
    if (work == nullptr || work->layer != 2) continue;
    const auto reads = stage.reads_of(item);
    if (work->pass == Pass::forward) forward.assign(reads.begin(), reads.end());
    if (work->pass == Pass::backward_data) data.assign(reads.begin(), reads.end());
    if (work->pass == Pass::backward_weights) weights.assign(reads.begin(), reads.end());
  }
  EXPECT_EQ(forward, std::vector{input[0]});
  EXPECT_EQ(data.front(), gradient[0]);
  EXPECT_EQ(weights, (std::vector{gradient[1], input[1]}));
}

TEST(NarrowFormats, WriteAnInputOnceForAllThatReadIt) {
  const Plan plan = planned(projections(), "serial", training_in("fp8", 4));
  const Stage& stage = plan.stages.front();
  int forward = 0, backward = 0;
  for (const Item* item : conversions_of(stage)) {
    (item->phase == Phase::forward ? forward : backward) += 1;
  }
  EXPECT_EQ(forward, 2);   // of the norm and of attention
  EXPECT_EQ(backward, 4);  // of every linear's output
}

/// Against bf16, the inputs of linears have half of the bytes, and the norm's output, which the sum
/// reads in forward alone, is not kept beside.
TEST(NarrowFormats, KeepInputsOfLinearsInFewBits) {
  const Graph graph = projections();
  const double values = 4 * 16 * 32;
  const auto kept = [&](const char* precision) {
    return liveness(graph, planned(graph, "serial", training_in(precision, 4)), 0).kept.value;
  };
  // q, k, v and the output of attention are kept by attention; the norm's by three linears.
  EXPECT_EQ(kept("bf16") - kept("fp8"), values * 2 - values - values);
  const Graph chain = one_linear(64);
  const auto of_chain = [&](const char* precision) {
    return liveness(chain, planned(chain, "serial", training_in(precision, 16)), 0).kept.value;
  };
  EXPECT_EQ(of_chain("bf16") - of_chain("fp8"), 16 * 64 * (2 - 1));
  EXPECT_EQ(of_chain("bf16") - of_chain("fp4"), 16 * 64 * (2 - 0.5625));
}

/// Bytes of gathers of activations, by phase.
std::pair<double, double> gathered(const Plan& plan, Collective collective) {
  double forward = 0, backward = 0;
  for (const Item& item : plan.stages.front().items) {
    const auto* transfer = std::get_if<Transfer>(&item.what);
    if (transfer == nullptr || transfer->collective != collective) continue;
    (item.phase == Phase::forward ? forward : backward) += transfer->bytes.value;
  }
  return {forward, backward};
}

TEST(NarrowFormats, TravelToLinearsWhereNothingIsSummed) {
  const Graph gpt = load_model("gpt_tiny");
  const auto moved = [&](const char* precision, const char* strategy, Collective collective) {
    return gathered(planned(gpt, strategy, training_in(precision, 4)), collective);
  };
  const auto wide = moved("bf16", "tensor_sequence:2", Collective::all_gather);
  const auto narrow = moved("fp8", "tensor_sequence:2", Collective::all_gather);
  // The loss reads its scores' input in 16 bits.
  const auto head = static_cast<double>(4 * gpt[1].output.elements() * 2);
  EXPECT_EQ(narrow.first - head, (wide.first - head) / 2);
  EXPECT_EQ(narrow.second, wide.second);
  for (const char* strategy : {"tensor_sequence:2", "tensor:2"}) {
    for (const Collective sum : {Collective::all_reduce, Collective::reduce_scatter}) {
      EXPECT_EQ(moved("fp8", strategy, sum), moved("bf16", strategy, sum)) << strategy;
    }
  }
}

/// What is gathered again in backward is turned round there, and nothing gathered is kept.
TEST(NarrowFormats, GatherAgainInFewBits) {
  const Graph gpt = load_model("gpt_tiny");
  const Plan once = planned(gpt, "tensor_sequence:2", training_in("fp8", 4));
  const Plan again = planned(gpt, "tensor_sequence:2; regather=on", training_in("fp8", 4));
  EXPECT_GT(gathered(again, Collective::all_gather).second,
            gathered(once, Collective::all_gather).second);
  EXPECT_LT(liveness(gpt, again, 0).kept, liveness(gpt, once, 0).kept);
}

/// The dispatch of rows to experts in 8 bits, all else that goes between experts in 16.
TEST(NarrowFormats, DispatchInFewBitsAndCombineInMany) {
  const Graph moe = load_model("mixtral_8x7b");
  const auto moved = [&](const char* precision) {
    return gathered(planned(moe, "expert:8", training_in(precision, 8)), Collective::all_to_all);
  };
  const auto wide = moved("bf16"), narrow = moved("fp8");
  EXPECT_EQ(narrow.first, wide.first * (1 + 2) / 4);
  EXPECT_EQ(narrow.second, wide.second);
}

/// Embedding, head, norms and router keep the 2 bytes that linears have half of.
TEST(NarrowFormats, GatherEachWeightInItsOwnFormat) {
  const Graph llama = load_model("llama3_8b");
  double linears = 0;
  for (const Layer& layer : llama.layers) {
    linears += layer.linear ? static_cast<double>(layer.parameters()) : 0;
  }
  const auto all = static_cast<double>(llama.parameters());
  EXPECT_EQ(linears, 32.0 * 4096 * (2 * 4096 + 2 * 1024 + 3 * 14336));
  for (const char* zero : {"1", "3"}) {
    const Plan plan = planned(llama, std::string("data:8; zero=") + zero, training_in("fp8", 8));
    double gathered = 0;
    for (const Item& item : plan.stages.front().items) {
      const auto* transfer = std::get_if<Transfer>(&item.what);
      const bool is_weights = transfer != nullptr && transfer->payload == Payload::weight;
      if (is_weights && item.phase != Phase::backward) gathered += transfer->bytes.value;
    }
    EXPECT_EQ(gathered, linears + 2 * (all - linears)) << zero;
  }
}

TEST(NarrowFormats, AreRefusedByADeviceWithoutThem) {
  const Graph graph = one_linear(64);
  const auto refused = [&](const char* precision, const char* device) {
    const auto made = partition(graph, parse_strategy("serial"), training_in(precision, 16),
                                load_cluster(std::string("2x1x") + device + ",net=50GB/s"));
    const auto* refusal = std::get_if<Infeasible>(&made);
    return refusal != nullptr && refusal->constraint == Constraint::number_format;
  };
  EXPECT_TRUE(refused("fp8", "a100-sxm4-80gb"));
  EXPECT_FALSE(refused("fp8_block", "h100-sxm5-80gb"));
  EXPECT_TRUE(refused("mxfp8", "h100-sxm5-80gb"));
  EXPECT_TRUE(refused("fp4", "h200-sxm5-141gb"));
  EXPECT_FALSE(refused("mxfp8", "b200-sxm-180gb"));
  EXPECT_FALSE(refused("fp4", "gb200-186gb"));
}

}  // namespace narrow_formats_test
}  // namespace oracle
