// Memory: never less than nothing, all returned, the peak where the walk has it, and parts that add
// up.

#include <algorithm>
#include <utility>

#include "tests/properties/differences.h"
#include "tests/properties/random_cases.h"

namespace oracle {
namespace properties_memory_test {

/// But for what rounding leaves of masks, which need not be whole bytes.
std::string broken_walk(const std::vector<Bytes>& walk) {
  const double rounding = 1e-12 * std::max_element(walk.begin(), walk.end())->value;
  for (const Bytes& bytes : walk) {
    if (bytes.value < -rounding) return "less than nothing";
  }
  return walk.back().value <= rounding ? "" : "something is left";
}

TEST(MemoryLaws, TransientBytesAreNeverNegativeAndReturnToNothing) {
  on_every_fitting_case([](const Case& drawn, const Evaluation& evaluation) {
    const Plan& plan = plan_of(evaluation);
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
      std::vector<Bytes> walk = transient_bytes(drawn.graph, plan, s);
      EXPECT_EQ(broken_walk(walk), "") << "stage " << s;
      walk.back() += Bytes{1};
      EXPECT_NE(broken_walk(walk), "");
    }
  });
}

Bytes transient_of(const Footprint& memory) {
  Bytes sum;
  for (const MemoryUse use :
       {MemoryUse::activations, MemoryUse::activation_gradients, MemoryUse::scores,
        MemoryUse::communication, MemoryUse::workspace, MemoryUse::gathered}) {
    sum += memory.of(use);
  }
  return sum;
}

Bytes largest_bucket(const Stage& stage) {
  Bytes most;
  for (const Item& item : stage.items) {
    if (item.phase == Phase::exchange) most = std::max(most, std::get<Transfer>(item.what).bytes);
  }
  return most;
}

TEST(MemoryLaws, ThePeakOfOneMicroBatchIsThePeakOfTheWalkOrMeetsABucket) {
  int alone = 0, with_bucket = 0;
  on_every_fitting_case([&](const Case& drawn, const Evaluation& evaluation) {
    const Plan& plan = plan_of(evaluation);
    const Footprint& memory = evaluation.fits()->memory;
    const std::vector<Bytes> walk = transient_bytes(drawn.graph, plan, memory.stage);
    EXPECT_GE(transient_of(memory), *std::max_element(walk.begin(), walk.end()));
    if (plan.stages.size() > 1 || plan.pipeline().pairs()) return;
    const Bytes peak = liveness(drawn.graph, plan, 0).peak.total();
    ++alone;
    with_bucket += transient_of(memory) == peak ? 0 : 1;
    EXPECT_GE(transient_of(memory), peak);
    EXPECT_LE(transient_of(memory), peak + largest_bucket(plan.stages[0]));
  });
  EXPECT_GE(alone, enough(kLeastFitting / 2));
  EXPECT_GE(with_bucket, enough(100));
}

/// Which the buckets of a footprint meet.
TEST(MemoryLaws, EachGradientHasAPeakAfterIt) {
  on_every_fitting_case([](const Case& drawn, const Evaluation& evaluation) {
    const Plan& plan = plan_of(evaluation);
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
      const std::vector<LivePoint> after = liveness(drawn.graph, plan, s).after_gradient;
      ASSERT_EQ(after.size(), plan.stages[s].backward_end.gradients.size());
      for (std::size_t i = 1; i < after.size(); ++i) {
        EXPECT_LE(after[i].total(), after[i - 1].total());
      }
    }
  });
}

TEST(MemoryLaws, PartsOfATensorCoverItAndExceedItByNoMoreThanAPartEach) {
  on_every_fitting_case([](const Case& drawn, const Evaluation& evaluation) {
    const Plan& plan = plan_of(evaluation);
    for (LayerId id = 0; id < drawn.graph.size(); ++id) {
      const Shape& shape = drawn.graph[id].output;
      const Layout& layout = plan.pieces[id].output_layout;
      double parts = 1, whole = static_cast<double>(plan.micro_batch_samples() * shape.elements());
      double padded = static_cast<double>(plan.micro_batch_samples());
      std::array<double, kAxisCount> degree{1, 1, 1, 1, 1, 1};
      for (std::size_t a = 0; a < plan.degrees.size(); ++a) {
        if (!is_sharded(layout[a])) continue;
        degree[static_cast<std::size_t>(axis_of(layout[a]))] *=
            static_cast<double>(plan.degrees[a]);
        parts *= static_cast<double>(plan.degrees[a]);
      }
      padded += degree[0] - 1;
      for (std::size_t d = 1; d < kAxisCount; ++d) {
        padded *= static_cast<double>(shape.extent[d]) + degree[d] - 1;
      }
      const double held = parts * static_cast<double>(local_elements(
                                      shape, plan.micro_batch_samples(), layout, plan.degrees));
      EXPECT_GE(held, whole) << drawn.graph[id].name;
      EXPECT_LE(held, padded) << drawn.graph[id].name;
    }
  });
}

/// What the first stage needs for one micro-batch, without buckets.
Footprint one_micro_batch(const Case& drawn) {
  const auto plan = partition(drawn.graph, drawn.strategy, drawn.training, drawn.cluster);
  return stage_need(drawn.graph, std::get<Plan>(plan), 0, drawn.cluster).one;
}

/// n times the samples over n ranks: but for buckets and shards, each holds what one rank holds of
/// the samples.
TEST(MemoryLaws, ReplicasHoldWhatOneRankHoldsOfTheirSamples) {
  int compared = 0;
  on_every_case([&](const Case& drawn) {
    Case one = drawn, many = drawn;
    const std::int64_t replicas = 2 + static_cast<std::int64_t>(drawn.seed % 3);
    one.strategy.mesh.clear();
    one.strategy.rules.clear();
    one.strategy.chunks = 1;
    one.strategy.zero = 0;
    one.strategy.shard = 0;
    one.strategy.sync = GradientSync::automatic;
    many.strategy = one.strategy;
    many.strategy.mesh = {{replicas, Cut::sample}};
    const std::int64_t micro_batches = std::max<std::int64_t>(one.strategy.micro_batches, 1);
    one.training.batch = micro_batches * (1 + one.training.batch / micro_batches);
    many.training.batch = one.training.batch * replicas;
    const Evaluation a = evaluate(one), b = evaluate(many);
    if (a.fits() == nullptr || b.fits() == nullptr) return;
    ++compared;
    const Footprint own = one_micro_batch(one), replica = one_micro_batch(many);
    for (std::size_t use = 0; use < kMemoryUseCount; ++use) {
      const auto which = static_cast<MemoryUse>(use);
      EXPECT_EQ(own.of(which), replica.of(which)) << name_of(which);
    }
  });
  EXPECT_GE(compared, enough(1000));
}

/// What stage 0 keeps of one micro-batch for backward, and needs in all.
StageNeed need_of(const Case& drawn) {
  const auto plan = partition(drawn.graph, drawn.strategy, drawn.training, drawn.cluster);
  return stage_need(drawn.graph, std::get<Plan>(plan), 0, drawn.cluster);
}

Bytes state_of(const StageNeed& need) {
  return need.one.of(MemoryUse::weights) + need.one.of(MemoryUse::casts) +
         need.one.of(MemoryUse::gradients) + need.one.of(MemoryUse::buckets) +
         need.one.of(MemoryUse::optimizer);
}

/// One stage, so that the layers of the first are the same.
Case in_one_stage(Case drawn) {
  for (MeshAxis& axis : drawn.strategy.mesh) {
    if (axis.cut == Cut::pipeline) axis.cut = Cut::sample;
  }
  for (LayerRule& rule : drawn.strategy.rules) {
    std::replace(rule.cuts.begin(), rule.cuts.end(), Cut::pipeline, Cut::sample);
  }
  drawn.strategy.chunks = 1;
  drawn.strategy.offload = {};
  return drawn;
}

/// Each stage of ZeRO keeps what the one before keeps in shards, and something more.
TEST(MemoryLaws, MoreShardsOfStateKeepNoMore) {
  int compared = 0, less = 0;
  on_every_fitting_case_of(kTexts, [&](const Case& fitting, const Evaluation&) {
    Case drawn = in_one_stage(fitting);
    const std::int64_t shard = std::exchange(drawn.strategy.shard, 0);
    drawn.strategy.zero = 0;
    if (evaluate(drawn).infeasible() != nullptr) return;
    const Bytes whole = state_of(need_of(drawn));
    Bytes before = whole;
    drawn.strategy.zero = 1;
    drawn.strategy.shard = shard;
    // What was a pipeline's degree may not be divided.
    if (evaluate(drawn).infeasible() != nullptr) drawn.strategy.shard = 0;
    for (const int zero : {1, 2, 3}) {
      drawn.strategy.zero = zero;
      const Bytes kept = state_of(need_of(drawn));
      EXPECT_LE(kept, before) << zero;
      before = kept;
    }
    ++compared;
    less += before < whole ? 1 : 0;
  });
  EXPECT_GE(compared, enough(kTexts.least_fitting / 2));
  EXPECT_GE(less, compared / 3);
}

TEST(MemoryLaws, WhatIsComputedAgainIsNotKept) {
  int compared = 0, less = 0;
  on_every_fitting_case_of(kTexts, [&](const Case& fitting, const Evaluation&) {
    Case drawn = in_one_stage(fitting);
    drawn.strategy.recompute = "";
    if (evaluate(drawn).infeasible() != nullptr) return;
    const Bytes all = need_of(drawn).kept.total();
    drawn.strategy.recompute = "full";
    const Bytes some = need_of(drawn).kept.total();
    EXPECT_LE(some, all);
    ++compared;
    less += some < all ? 1 : 0;
  });
  EXPECT_GE(compared, enough(kTexts.least_fitting / 2));
  EXPECT_GE(less, compared / 2);
}

}  // namespace properties_memory_test
}  // namespace oracle
