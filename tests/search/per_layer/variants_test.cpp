#include "oracle/search/per_layer/variants.h"

#include <gtest/gtest.h>

#include "oracle/cost/compute/kernel.h"
#include "oracle/plan/emit.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle::per_layer {
namespace per_layer_variants_test {

const Graph kChain = dense_chain({64, 24, 64, 24, 64}, true);
const Cluster kCluster = flat_cluster();
const Profile kProfile;

Mesh mesh_of(const Graph& graph, std::int64_t degree, std::int64_t batch,
             const Profile& profile = kProfile) {
  Plan plan;
  plan.strategy.mesh = {{degree, Cut::follow}};
  plan.strategy.micro_batches = 1;
  plan.training = training_of(batch);
  plan.degrees = {degree};
  return {graph, kCluster, profile, plan, Codes(graph[0].output, 1)};
}

Variant variant_of(Cut cut, State incoming = State::replicated, std::int64_t degree = 2) {
  const Mesh mesh = mesh_of(kChain, degree, 8);
  VariantPricer pricer(mesh, id_of(kChain, "fc1"), needs_gradient(kChain));
  Variant variant;
  const std::vector<Cut> cuts = {cut};
  EXPECT_TRUE(pricer.price(cuts, {incoming}, variant));
  return variant;
}

TEST(Variant, BySampleHoldsAllWeightsAndExchangesTheirGradient) {
  const Variant variant = variant_of(Cut::sample);
  EXPECT_EQ(variant.weights, 64 * 24);
  EXPECT_EQ(variant.exchange_axes, 1U);
  EXPECT_EQ(variant.exchange_bytes.value, 64 * 24 * 4);
  EXPECT_EQ(variant.kept, 4 * 24);
}

TEST(Variant, ByFilterHoldsHalfAndExchangesNothing) {
  const Variant variant = variant_of(Cut::filter);
  EXPECT_EQ(variant.weights, 64 * 12);
  EXPECT_EQ(variant.exchange_axes, 0U);
  EXPECT_EQ(variant.exchange_bytes.value, 0);
  EXPECT_EQ(variant.kept, 8 * 12);
}

/// Backward of a layer by samples, which was measured to take a millisecond.
double backward_of(const Graph& graph, std::string_view name) {
  const LayerId id = id_of(graph, name);
  const Plan cut = plan_of(graph, "data:2", 8);
  Profile profile;
  profile.kernels = {{key_of(graph[id], cut.pieces[id], Pass::backward_data, cut.training),
                      {Seconds{1e-3}, Source::measured, 0.02}}};
  const Mesh mesh = mesh_of(graph, 2, 8, profile);
  Variant variant;
  const std::vector<Cut> cuts = {Cut::sample};
  VariantPricer pricer(mesh, id, needs_gradient(graph));
  EXPECT_TRUE(pricer.price(cuts, {State::sample}, variant));
  return variant.backward_data;
}

TEST(Variant, CopiesNoGradientOfASumAndReordersThatOfAFlattening) {
  const Graph graph = residual_block("batch_norm");
  EXPECT_EQ(backward_of(graph, "sum"), 0);
  EXPECT_EQ(backward_of(graph, "flat"), 1e-3);
}

TEST(Variant, IsRefusedWhereTheBatchOrTheFeaturesAreTooFew) {
  const Mesh mesh = mesh_of(kChain, 32, 8);
  VariantPricer pricer(mesh, id_of(kChain, "fc1"), needs_gradient(kChain));
  Variant variant;
  for (const Cut cut : {Cut::sample, Cut::filter}) {
    const std::vector<Cut> cuts = {cut};
    EXPECT_FALSE(pricer.price(cuts, Layout{}, variant)) << static_cast<int>(cut);
  }
}

TEST(ClassKey, IsEqualForEqualLayersOnly) {
  const std::vector<bool> needs = needs_gradient(kChain);
  const auto key = [&](std::string_view name) {
    return class_key(kChain, id_of(kChain, name), needs);
  };
  EXPECT_EQ(key("fc2"), key("fc4"));
  EXPECT_NE(key("fc2"), key("fc3"));
  EXPECT_NE(key("fc1"), key("fc3")) << "the first reads the input, whose gradient nobody wants";
  EXPECT_NE(key("fc2"), key("relu2"));
}

}  // namespace per_layer_variants_test
}  // namespace oracle::per_layer
