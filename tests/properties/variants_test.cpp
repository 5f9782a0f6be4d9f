// A family evaluates its variants one after the other: each as if it were alone.

#include <array>
#include <gtest/gtest.h>

#include "oracle/evaluate/family.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "tests/plan/tiny_graphs.h"
#include "tests/properties/differences.h"

namespace oracle {
namespace properties_variants_test {

using enum PipelineSchedule;

constexpr std::array<PipelineSchedule, 2> kBoth = {one_f_one_b, gpipe};

/// What a family says of its chosen variant, as evaluate() would put it.
Evaluation answer_of(Family& family) {
  Evaluation evaluation;
  evaluation.strategy = family.plan().strategy;
  evaluation.training = family.plan().training;
  evaluation.ranks = evaluation.strategy.ranks();
  if (family.fits()) {
    evaluation.result = family.step();
  } else {
    evaluation.result = family.out_of_memory();
  }
  return evaluation;
}

std::vector<Variant> some_variants() {
  std::vector<Variant> variants;
  for (const double mebibytes : {64.0, 0.5, 4.0}) {
    for (const std::string_view exchange : {"auto", "halving_doubling", "hierarchical", "ring"}) {
      for (const bool overlap : {true, false}) {
        for (const PipelineSchedule schedule : kBoth) {
          variants.push_back({Bytes{mebibytes * 1024 * 1024}, exchange, overlap, schedule});
        }
      }
    }
  }
  return variants;
}

TEST(VariantLaws, AFamilyAnswersAsEachWouldAlone) {
  const Graph graph = load_model("resnet50");
  const Profile profile;
  for (const char* name : {"abci", "cloud-10gbe"}) {
    const Cluster cluster = load_cluster(name);
    Family family({graph, cluster, profile});
    for (const char* cuts : {"data:64", "data:8,pipeline:4", "data:16,spatial:2x2", "serial",
                             "pipeline:4,data:16; micro_batches=8", "data:8,filter:4"}) {
      Strategy strategy = parse_strategy(cuts);
      const Training training = training_of(32 * strategy.ranks());
      ASSERT_EQ(family.plan(strategy, training), nullptr);
      family.measure(kBoth);
      for (const Variant& variant : some_variants()) {
        put(variant, strategy);
        family.choose(variant);
        EXPECT_EQ(variant_of(family.plan().strategy), variant);
        const Evaluation alone = evaluate(graph, cluster, profile, strategy, training);
        EXPECT_EQ(difference(answer_of(family), alone), "") << to_text(strategy);
        if (!family.fits()) continue;
        EXPECT_EQ(family.step().bottleneck, alone.fits()->bottleneck);
        EXPECT_EQ(family.step().time_by_source, alone.fits()->time_by_source);
        EXPECT_LE(family.least_step(), alone.fits()->step.time);
      }
    }
  }
}

}  // namespace properties_variants_test
}  // namespace oracle
