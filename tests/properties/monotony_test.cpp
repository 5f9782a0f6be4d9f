// A better machine never makes a step longer, and what fits goes on fitting; more bytes never take
// less.
//
// A fit says what one message takes; the more rails the data sheet has, the more messages go at
// once.

#include <functional>

#include "oracle/cost/price.h"
#include "tests/properties/random_cases.h"

namespace oracle {
namespace monotony_test {

/// The same sum in another order.
constexpr double kRounding = 1e-9;

struct Improvement {
  const char* name;
  bool moves_fits;  ///< changes what a measured message says about several at once
  void (*apply)(Random&, Cluster&);
};

Link& any_link(Random& random, Cluster& cluster) {
  const auto last = static_cast<std::int64_t>(cluster.levels.size()) - 1;
  return cluster.levels[static_cast<std::size_t>(random.whole(0, last))].uplink;
}

const Improvement kImprovements[] = {
    {"bandwidth", false,
     [](Random& random, Cluster& cluster) {
       Link& link = any_link(random, cluster);
       const double factor = random.magnitude(1.01, 10);
       link.bandwidth = link.bandwidth * factor;
       link.flow_limit = link.flow_limit * factor;
     }},
    {"one_flow", true,
     [](Random& random, Cluster& cluster) {
       Link& link = any_link(random, cluster);
       link.flow_limit = link.bandwidth;
     }},
    {"latency", false,
     [](Random& random, Cluster& cluster) {
       Link& link = any_link(random, cluster);
       link.latency = link.latency * random.real(0, 0.99);
     }},
    {"launch_overhead", false,
     [](Random& random, Cluster& cluster) {
       Seconds& overhead = cluster.device.launch_overhead;
       overhead = overhead * random.real(0, 0.99);
     }},
    {"memory", false,
     [](Random& random, Cluster& cluster) {
       Bytes& memory = cluster.device.memory;
       memory = memory * random.magnitude(1.01, 10);
     }},
    {"peak", false,
     [](Random& random, Cluster& cluster) {
       const double factor = random.magnitude(1.01, 10);
       for (FlopRate& peak : cluster.device.peak) peak = peak * factor;
     }},
    {"memory_bandwidth", false,
     [](Random& random, Cluster& cluster) {
       Bandwidth& bandwidth = cluster.device.memory_bandwidth;
       bandwidth = bandwidth * random.magnitude(1.01, 10);
     }},
    {"whole_device", false,
     [](Random& random, Cluster& cluster) {
       const double factor = random.pick<double>({2, 4, 8});
       for (FlopRate& peak : cluster.device.peak) peak = peak * factor;
       cluster.device.memory_bandwidth = cluster.device.memory_bandwidth * factor;
     }},
};

/// Pairs of steps that both fit.
struct Pairs {
  int fitting = 0, faster = 0;

  void expect_no_longer(const Fits& better, const Fits& worse) {
    ++fitting;
    const double is = better.step.time.value, was = worse.step.time.value;
    EXPECT_LE(is, was * (1 + kRounding));
    faster += is < was * (1 - kRounding) ? 1 : 0;
  }
};

class Monotony : public testing::TestWithParam<Improvement> {};

TEST_P(Monotony, NeverTakesLongerAndGoesOnFitting) {
  const Improvement& improvement = GetParam();
  Pairs pairs;
  on_every_case([&](const Case& drawn) {
    if (improvement.moves_fits && !drawn.profile.links.empty()) return;
    const Evaluation before = evaluate(drawn);
    if (before.fits() == nullptr) return;
    Case better = drawn;
    Random random(drawn.seed);
    improvement.apply(random, better.cluster);
    better.strategy.stages = before.strategy.stages;  // else balanced for the other machine
    const Evaluation after = evaluate(better);
    ASSERT_NE(after.fits(), nullptr) << to_text(*after.infeasible());
    pairs.expect_no_longer(*after.fits(), *before.fits());
  });
  EXPECT_GE(pairs.fitting, enough(kLeastFitting / 2));
  const bool must_show = std::string_view(improvement.name) != "memory";
  EXPECT_GE(pairs.faster, must_show ? pairs.fitting / 20 : 0);
}

INSTANTIATE_TEST_SUITE_P(All, Monotony, testing::ValuesIn(kImprovements),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Overlap, NeverTakesLongerThanNone) {
  Pairs pairs;
  on_every_case([&](const Case& drawn) {
    Case with = drawn, without = drawn;
    // Where the two take turns, or get more done together than that.
    Random random(drawn.seed);
    const double slowdown = random.real(0.05, 2);
    with.profile.overlap =
        random.chance(0.5) ? Overlap{slowdown, random.real(0, 1) / slowdown} : Overlap{};
    with.strategy.overlap = true;
    without.strategy.overlap = false;
    const Evaluation hidden = evaluate(with), shown = evaluate(without);
    ASSERT_EQ(hidden.fits() == nullptr, shown.fits() == nullptr);
    if (hidden.fits() == nullptr) return;
    pairs.expect_no_longer(*hidden.fits(), *shown.fits());
  });
  EXPECT_GE(pairs.fitting, enough(kLeastFitting));
  EXPECT_GE(pairs.faster, enough(50));
}

TEST(Overlap, SlowsNothingDownWhereNothingOverlaps) {
  on_every_case([&](const Case& drawn) {
    Case slowed = drawn, plain = drawn;
    slowed.strategy.overlap = plain.strategy.overlap = false;
    slowed.profile.overlap = {0.5, 2};
    plain.profile.overlap = {};
    const Evaluation a = evaluate(slowed), b = evaluate(plain);
    if (a.fits() == nullptr) return;
    EXPECT_EQ(a.fits()->step.time.value, b.fits()->step.time.value);
  });
}

TEST(TensorOverlap, TakesNoLongerAndAsMuchMemory) {
  Pairs pairs;
  on_every_case([&](const Case& drawn) {
    if (drawn.strategy.tensor_sequence_axes() == 0) return;
    Case with = drawn, without = drawn;
    with.strategy.tensor_overlap = true;
    without.strategy.tensor_overlap = false;
    const Evaluation hidden = evaluate(with), shown = evaluate(without);
    ASSERT_EQ(hidden.fits() == nullptr, shown.fits() == nullptr);
    if (hidden.fits() == nullptr) return;
    // Stages are balanced by prices.
    if (!drawn.strategy.has(Cut::pipeline)) {
      EXPECT_EQ(hidden.fits()->memory.total(), shown.fits()->memory.total());
    }
    pairs.expect_no_longer(*hidden.fits(), *shown.fits());
  });
  EXPECT_GE(pairs.fitting, enough(20));
  EXPECT_GE(pairs.faster, enough(10));
}

/// Of one stage; a pipeline begins with one forward more, and may have nothing to hide behind it.
TEST(ExpertOverlap, TakesNoLongerAndNoLessMemory) {
  Pairs pairs;
  on_every_case([&](const Case& drawn) {
    if (!drawn.strategy.has(Cut::expert) || drawn.strategy.has(Cut::pipeline)) return;
    Case with = drawn, without = drawn;
    with.strategy.schedule = without.strategy.schedule = PipelineSchedule::one_f_one_b;
    with.strategy.expert_overlap = true;
    without.strategy.expert_overlap = false;
    const Evaluation hidden = evaluate(with), shown = evaluate(without);
    if (hidden.fits() == nullptr) return;
    ASSERT_NE(shown.fits(), nullptr);
    EXPECT_GE(hidden.fits()->memory.total(), shown.fits()->memory.total());
    pairs.expect_no_longer(*hidden.fits(), *shown.fits());
  });
  EXPECT_GE(pairs.fitting, enough(20));
  EXPECT_GE(pairs.faster, enough(10));
}

TEST(Transfers, OfMoreBytesNeverTakeLess) {
  on_every_fitting_case([](const Case& drawn, const Evaluation& evaluation) {
    Random random(drawn.seed);
    for (const TransferTime& row : evaluation.fits()->transfers) {
      Transfer larger = row.transfer;
      larger.bytes = larger.bytes * random.magnitude(1, 100);
      const Plan& plan = plan_of(evaluation);
      const auto time = [&](const Transfer& transfer) {
        return price_transfer(plan, transfer, drawn.cluster, drawn.profile).cost.time.value;
      };
      EXPECT_GE(time(larger), time(row.transfer) * (1 - kRounding)) << name_of(larger.collective);
    }
  });
}

}  // namespace monotony_test
}  // namespace oracle
