// What must not matter: names, axes of degree one, the unit of time, the way through text, a second
// run.

#include "tests/properties/differences.h"
#include "tests/properties/random_cases.h"

namespace oracle {
namespace same_answer_test {

std::string renamed(const std::string& name) { return "block." + name + ".x"; }

std::string renamed_pattern(std::string pattern) {
  for (std::size_t bar = pattern.find('|'); bar != std::string::npos;
       bar = pattern.find('|', bar + 9)) {
    pattern.replace(bar, 1, ".x|block.");
  }
  return renamed(pattern);
}

/// Every layer called differently, and every pattern after it.
Case renamed(Case drawn) {
  for (Layer& layer : drawn.graph.layers) layer.name = renamed(layer.name);
  for (LayerRule& rule : drawn.strategy.rules) rule.pattern = renamed_pattern(rule.pattern);
  std::string& recompute = drawn.strategy.recompute;
  if (recompute.empty() || recompute == "full") return drawn;
  const std::size_t pattern = recompute.starts_with("except:") ? recompute.find(':') + 1 : 0;
  recompute = recompute.substr(0, pattern) + renamed_pattern(recompute.substr(pattern));
  return drawn;
}

/// An axis of degree one in front of axis `place`.
Case with_axis_of_one(Case drawn, std::size_t place, Cut cut) {
  const auto offset = static_cast<std::ptrdiff_t>(place);
  drawn.strategy.mesh.insert(drawn.strategy.mesh.begin() + offset, {1, cut});
  for (LayerRule& rule : drawn.strategy.rules) {
    rule.cuts.insert(rule.cuts.begin() + offset, Cut::channel);
  }
  return drawn;
}

/// The same machine by a clock whose second is `times` shorter.
Case by_another_clock(Case drawn, double times) {
  Device& device = drawn.cluster.device;
  for (FlopRate& peak : device.peak) peak = peak / times;
  device.memory_bandwidth = device.memory_bandwidth / times;
  device.launch_overhead = device.launch_overhead * times;
  for (Level& level : drawn.cluster.levels) {
    level.uplink.bandwidth = level.uplink.bandwidth / times;
    level.uplink.flow_limit = level.uplink.flow_limit / times;
    level.uplink.latency = level.uplink.latency * times;
  }
  Host& host = drawn.cluster.host;
  host.link = host.link / times;
  host.latency = host.latency * times;
  host.memory_bandwidth = host.memory_bandwidth / times;
  for (CopySpeed& speed : drawn.profile.staging) {
    speed.pack = speed.pack / times;
    speed.unpack = speed.unpack / times;
  }
  for (LinkFit& fit : drawn.profile.links) {
    for (LinkPiece& piece : fit.pieces) {
      piece.bandwidth = piece.bandwidth / times;
      piece.latency = piece.latency * times;
    }
  }
  return drawn;
}

TEST(SameAnswer, WhateverTheLayersAreCalled) {
  on_every_case([](const Case& drawn) {
    EXPECT_EQ(difference(evaluate(drawn), evaluate(renamed(drawn))), "");
  });
}

TEST(SameAnswer, WithAnAxisOfDegreeOne) {
  on_every_case([](const Case& drawn) {
    Random random(drawn.seed);
    const auto axes = static_cast<std::int64_t>(drawn.strategy.mesh.size());
    const auto place = static_cast<std::size_t>(random.whole(0, axes));
    const Cut cut = random.pick({Cut::sample, Cut::spatial, Cut::height, Cut::filter, Cut::channel,
                                 Cut::alternate, Cut::none, Cut::pipeline, Cut::follow});
    const Case longer = with_axis_of_one(drawn, place, cut);
    EXPECT_EQ(difference(evaluate(drawn), evaluate(longer)), "") << to_text(longer.strategy);
  });
}

TEST(SameAnswer, ByAnotherClockTimesTheRatioOfTheClocks) {
  on_every_case([](const Case& drawn) {
    const Evaluation own = evaluate(drawn);
    EXPECT_EQ(difference(own, evaluate(by_another_clock(drawn, 1024)), 0, 1024), "");
    const Evaluation other = evaluate(by_another_clock(drawn, 1e-3));
    EXPECT_EQ(difference(own, other, 1e-12, 1e-3), "")
        << to_text(own.strategy) << " and " << to_text(other.strategy);
  });
}

TEST(SameAnswer, AfterTheStrategyWasWrittenAndRead) {
  on_every_case([](const Case& drawn) {
    Case read = drawn;
    read.strategy = parse_strategy(to_text(drawn.strategy));
    const Evaluation own = evaluate(drawn), other = evaluate(read);
    EXPECT_EQ(difference(own, other), "");
    if (own.fits() == nullptr) return;
    EXPECT_EQ(to_text(own.strategy), to_text(other.strategy));
    EXPECT_EQ(parse_strategy(to_text(own.strategy)).mesh, own.strategy.mesh);
  });
}

TEST(SameAnswer, IsNotSaidOfDifferentOnes) {
  int different = 0;
  on_every_fitting_case([&](const Case& drawn, const Evaluation& own) {
    different += difference(own, evaluate(by_another_clock(drawn, 2))).empty() ? 0 : 1;
    Case larger = drawn;
    larger.training.batch *= 2;
    EXPECT_NE(difference(own, evaluate(larger)), "");
  });
  EXPECT_GE(different, enough(kLeastFitting));
}

}  // namespace same_answer_test
}  // namespace oracle
