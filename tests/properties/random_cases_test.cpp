// Are the random cases what the laws need: the same each time, and none of the ways to cut missing?

#include "tests/properties/random_cases.h"

#include <algorithm>
#include <map>
#include <set>

#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace random_cases_test {

TEST(RandomCases, AreTheSameForOneSeedAndDifferForTwo) {
  EXPECT_EQ(to_text(random_case(5)), to_text(random_case(5)));
  EXPECT_EQ(evaluate(random_case(5)).ranks, evaluate(random_case(5)).ranks);
  EXPECT_NE(to_text(random_case(5)), to_text(random_case(6)));
}

TEST(RandomCases, HoldEveryCutThatFitsAndEveryKindOfBlock) {
  std::map<Cut, int> cuts;
  std::map<Constraint, int> refusals;
  std::set<Collective> collectives;
  std::set<std::string_view> kinds;
  int uneven = 0, with_rules = 0, infeasible = 0;
  on_every_case_of(kImages, [&](const Case& drawn) {
    for (const Layer& layer : drawn.graph.layers) kinds.insert(layer.kind->name);
    const Evaluation evaluation = evaluate(drawn, Detail::events);
    if (const Infeasible* refusal = evaluation.infeasible()) {
      ++infeasible;
      ++refusals[refusal->constraint];
      return;
    }
    with_rules += drawn.strategy.rules.empty() ? 0 : 1;
    for (const MeshAxis& axis : evaluation.strategy.mesh) ++cuts[axis.cut];
    const std::int64_t groups = plan_of(evaluation).ranks();
    uneven += drawn.training.batch % groups == 0 ? 0 : 1;
    for (const TransferTime& row : evaluation.fits()->transfers) {
      collectives.insert(row.transfer.collective);
    }
  });
  for (const Cut cut : {Cut::none, Cut::sample, Cut::depth, Cut::height, Cut::width, Cut::filter,
                        Cut::channel, Cut::alternate, Cut::follow, Cut::pipeline}) {
    EXPECT_GE(cuts[cut], enough(20)) << static_cast<int>(cut);
  }
  EXPECT_GE(uneven, enough(100));
  EXPECT_GE(with_rules, enough(100));
  EXPECT_GE(infeasible, enough(100));
  if (kStride > 1) return;
  EXPECT_EQ(collectives.size(), kCollectiveCount - 4)
      << "keys and values go round in texts alone; push, pull and butterfly are asked for by name";
  EXPECT_GE(kinds.size(), 13U);
  EXPECT_GE(refusals.size(), 8U);
}

bool shares(const Layer& layer) {
  return std::any_of(layer.weights.begin(), layer.weights.end(),
                     [](const Weight& weight) { return weight.owner != 0; });
}

TEST(RandomCases, OfTextsHoldEveryCutAndEveryForm) {
  std::map<Cut, int> cuts;
  std::map<int, int> shards;
  std::set<std::string_view> kinds;
  std::map<GradientSync, int> syncs;
  int copied = 0, kept_whole = 0;
  int again = 0, gathered_again = 0, tied = 0, adapted = 0, wider = 0, narrower = 0, chunks = 0,
      whole_loss = 0;
  on_every_fitting_case_of(kTexts, [&](const Case& drawn, const Evaluation& evaluation) {
    for (const Layer& layer : drawn.graph.layers) kinds.insert(layer.kind->name);
    for (const MeshAxis& axis : evaluation.strategy.mesh) ++cuts[axis.cut];
    const Plan& plan = plan_of(evaluation);
    if (plan.ranks() > 1) ++shards[drawn.strategy.zero];
    if (plan.ranks() > 1) ++syncs[drawn.strategy.sync];
    copied += plan.replica_axes != 0 ? 1 : 0;
    kept_whole += drawn.strategy.zero == 3 && !drawn.strategy.reshard ? 1 : 0;
    again += drawn.strategy.recompute.empty() ? 0 : 1;
    gathered_again += drawn.strategy.regather && plan.ranks() > 1 ? 1 : 0;
    tied += std::any_of(drawn.graph.layers.begin(), drawn.graph.layers.end(), shares) ? 1 : 0;
    adapted += drawn.graph.learned_parameters() < drawn.graph.parameters() ? 1 : 0;
    chunks += drawn.strategy.chunks > 1 ? 1 : 0;
    whole_loss += drawn.strategy.rules.empty() ? 0 : 1;
    const Precision& precision = plan.training.precision;
    wider += precision.has_main_gradients() ? 1 : 0;
    narrower += precision.travelling_bytes() < precision.gradient_bytes ? 1 : 0;
  });
  for (const Cut cut :
       {Cut::sample, Cut::context, Cut::ring, Cut::filter, Cut::alternate, Cut::alternate_sequence,
        Cut::alternate_expert, Cut::expert, Cut::ulysses, Cut::pipeline}) {
    EXPECT_GE(cuts[cut], enough(15)) << static_cast<int>(cut);
  }
  for (const int zero : {0, 1, 2, 3}) EXPECT_GE(shards[zero], enough(20)) << zero;
  for (const char* kind : {"attention", "rotary", "added_rows", "layer_norm", "rms_norm", "gate",
                           "activation", "dispatch", "expert_dense", "combine", "head_concat",
                           "causal_convolution", "linear_attention"}) {
    EXPECT_TRUE(kinds.contains(kind)) << kind;
  }
  for (const GradientSync sync :
       {GradientSync::automatic, GradientSync::step, GradientSync::micro_batch}) {
    EXPECT_GE(syncs[sync], enough(20));
  }
  const std::map<std::string_view, int> counts = {
      {"copied", copied},         {"kept whole", kept_whole},
      {"again", again},           {"tied", tied},
      {"adapted", adapted},       {"wider", wider},
      {"narrower", narrower},     {"chunks", chunks},
      {"whole loss", whole_loss}, {"gathered again", gathered_again}};
  for (const auto& [what, count] : counts) EXPECT_GE(count, enough(20)) << what;
}

}  // namespace random_cases_test
}  // namespace oracle
