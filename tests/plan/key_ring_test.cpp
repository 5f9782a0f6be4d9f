#include "oracle/plan/key_ring.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/cost/price.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/memory/footprint.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace key_ring_test {

/// Queries of 4 heads of 8 channels, keys and values of 2: attention, and a loss behind it.
Graph attention(std::int64_t positions) {
  GraphBuilder builder("attention");
  Shape text = shape_of(32);
  text[Axis::sequence] = positions;
  const LayerId input = builder.input(text);
  const auto projection = [&](const char* name, std::int64_t features) {
    return builder.add(name, "dense", {input}, {{"features", features}, {"bias", false}});
  };
  const LayerId q = projection("q", 32), k = projection("k", 16), v = projection("v", 16);
  builder.add("attention", "attention", {q, k, v},
              {{"heads", std::int64_t{4}}, {"kv_heads", std::int64_t{2}}, {"causal", true}});
  builder.add("loss", "softmax_loss", {4});
  return builder.finish();
}

constexpr LayerId kQ = 1, kK = 2, kAttention = 4;

/// What a stage does with attention: "forward", "sum k", "pass 64", in order.
std::vector<std::string> lines(const Stage& stage) {
  std::vector<std::string> found;
  for (const Item& item : stage.items) {
    if (const auto* work = std::get_if<Work>(&item.what)) {
      if (work->pass == Pass::gradient_sum) found.push_back(work->layer == kK ? "sum k" : "sum v");
      if (work->layer == kAttention) found.emplace_back(name_of(work->pass));
    } else if (std::get<Transfer>(item.what).collective == Collective::ring_pass) {
      const auto& transfer = std::get<Transfer>(item.what);
      found.push_back("pass " +
                      std::string(transfer.payload == Payload::activation ? "" : "gradient ") +
                      std::to_string(static_cast<std::int64_t>(transfer.bytes.value)));
    }
  }
  return found;
}

// A part of 4 of 12 positions, 16 and 16 channels, fp32: 512 bytes.
TEST(KeyRing, PassesKeysAndValuesOnAndTheirGradientsHome) {
  const Graph graph = attention(12);
  const Plan plan = plan_of(graph, "ring:3", 1);
  EXPECT_EQ(lines(plan.stages[0]),
            (std::vector<std::string>{"pass 512", "forward", "pass 512", "forward", "forward",   //
                                      "pass 512", "backward_data", "pass 512", "backward_data",  //
                                      "pass gradient 512", "backward_data", "sum k", "sum v",
                                      "pass gradient 512",  //
                                      "sum v", "sum k"}));
  EXPECT_EQ(plan.pieces[kAttention].steps, 3);
  EXPECT_EQ(plan.pieces[kQ].steps, 1);
}

// A step waits for the keys and values that it reads, and not for those that leave meanwhile.
TEST(KeyRing, ComputesWhileKeysAndValuesAreOnTheirWay) {
  const Graph graph = attention(12);
  const Plan plan = plan_of(graph, "ring:3", 1);
  const Stage& stage = plan.stages[0];
  std::vector<std::uint32_t> passes, steps;
  for (std::uint32_t i = 0; i < stage.backward_begin; ++i) {
    const auto* work = std::get_if<Work>(&stage.items[i].what);
    if (work != nullptr && work->layer == kAttention) steps.push_back(i);
    if (work == nullptr) passes.push_back(i);
  }
  ASSERT_EQ(passes.size(), 2U);
  ASSERT_EQ(steps.size(), 3U);
  const auto needs = [&](std::uint32_t item, std::uint32_t other) {
    const auto all = stage.needs_of(stage.items[item]);
    return std::find(all.begin(), all.end(), other) != all.end();
  };
  EXPECT_FALSE(needs(steps[0], passes[0]));
  EXPECT_TRUE(needs(steps[1], passes[0]));
  EXPECT_FALSE(needs(steps[1], passes[1]));
  EXPECT_TRUE(needs(steps[2], passes[1]));
  EXPECT_TRUE(needs(passes[1], passes[0]));
  EXPECT_FALSE(needs(passes[1], steps[0]));
}

TEST(KeyRing, TakesTheMemoryOfTwoPartsAndNotOfAll) {
  const Graph graph = attention(4096);
  const auto needed = [&](const char* strategy) {
    return footprint(graph, plan_of(graph, strategy, 1), flat_cluster())
        .of(MemoryUse::activations)
        .value;
  };
  EXPECT_LT(needed("ring:8"), needed("context:8"));
}

/// Steps do together what one pass over all keys does.
TEST(KeyRing, ComputesWhatOnePassOverAllKeysDoes) {
  const Graph graph = attention(4096);
  const auto seconds = [&](const char* strategy) {
    const Plan plan = plan_of(graph, strategy, 1);
    const Prices prices = price(graph, plan, flat_cluster(), {});
    double sum = 0;
    for (std::size_t i = 0; i < plan.stages[0].items.size(); ++i) {
      const auto* work = std::get_if<Work>(&plan.stages[0].items[i].what);
      if (work != nullptr && work->layer == kAttention) {
        sum += prices.stages[0].items[i].time.value;
      }
    }
    return sum;
  };
  EXPECT_GE(seconds("ring:4"), seconds("context:4"));
  EXPECT_LT(seconds("ring:4"), 1.3 * seconds("context:4"));
}

TEST(KeyRing, IsOneAxisAlone) {
  const Graph graph = attention(16);
  EXPECT_THROW(plan_of(graph, "ring:2,filter:2,ring:2", 1), InputError);
  EXPECT_EQ(plan_of(graph, "context:2,ring:2", 1).pieces[kAttention].steps, 2);
}

/// Attention that adds a trained table of relative positions gathers keys and values.
TEST(KeyRing, ServesAttentionWithoutATableAlone) {
  const Graph t5 = load_model("t5_large");
  const Plan plan = plan_of(t5, "ring:2", 2);
  for (LayerId id = 1; id < t5.size(); ++id) {
    const bool is_served = t5[id].heads.keys > 0 && t5[id].weights.empty();
    EXPECT_EQ(plan.pieces[id].steps, is_served ? 2 : 1) << t5[id].name;
  }
}

}  // namespace key_ring_test
}  // namespace oracle
