// Are the random cases what the laws need: the same each time, and none of the ways to cut missing?

#include "tests/properties/random_cases.h"

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
  on_every_case([&](const Case& drawn) {
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
    EXPECT_GE(cuts[cut], 20) << static_cast<int>(cut);
  }
  EXPECT_EQ(collectives.size(), kCollectiveCount);
  EXPECT_GE(kinds.size(), 13U);
  EXPECT_GE(uneven, 100);
  EXPECT_GE(with_rules, 100);
  EXPECT_GE(infeasible, 100);
  EXPECT_GE(refusals.size(), 8U);
}

}  // namespace random_cases_test
}  // namespace oracle
