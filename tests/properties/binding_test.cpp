// Every plan binds on every rank that it has, and what two layers of a program read as one gradient
// nobody writes meanwhile: binding says so otherwise.

#include <algorithm>

#include "oracle/base/error.h"
#include "tests/properties/random_cases.h"
#include "validate/program/bind.h"

namespace oracle {
namespace binding_test {

constexpr std::int64_t kMostRanks = 64, kRanksTried = 8;

std::int64_t shared_gradients(const Program& program) {
  std::int64_t shared = 0;
  for (const Operation& operation : program.backward) {
    const auto* run = std::get_if<LayerRun>(&operation.what);
    if (run != nullptr && run->shared.made != kNoSlot) ++shared;
  }
  return shared;
}

TEST(Binding, EveryPlanBindsAndSharesWhatNobodyWrites) {
  std::int64_t shared = 0, refused = 0, bound = 0;
  on_every_fitting_case([&](const Case& drawn, const Evaluation& evaluation) {
    const Plan& plan = plan_of(evaluation);
    if (plan.ranks() > kMostRanks || plan.strategy.chunks > 1) return;
    const std::int64_t step = std::max<std::int64_t>(1, plan.ranks() / kRanksTried);
    for (std::int64_t rank = 0; rank < plan.ranks(); rank += step) {
      try {
        const Pieces pieces(drawn.graph, plan, plan.micro_batch_samples());
        shared += shared_gradients(bind(pieces, static_cast<int>(rank)));
        ++bound;
      } catch (const InputError&) {
        ++refused;  // a piece that no kernel can run
      }
    }
  });
  EXPECT_GT(shared, 300);
  EXPECT_LT(100 * refused, bound);
}

}  // namespace binding_test
}  // namespace oracle
