#include "oracle/budget/goodput.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace oracle {
namespace goodput_test {

constexpr double kForever = std::numeric_limits<double>::infinity();

TEST(Goodput, IsTheWorkedOne) {
  const Reliability machine{Seconds{6000}, Seconds{10}, Seconds{600}};
  const Seconds interval = daly_interval(machine);
  EXPECT_NEAR(interval.value, 340, 0.5);
  EXPECT_NEAR(goodput(machine, interval), 0.854, 0.0005);
}

/// The time that `segments` pieces of work take, event by event: a failure loses the piece, and one
/// while the machine starts lets it start once more. Where the checkpoint of the piece before does
/// not hold yet, that piece is lost too.
double simulated_time(const Reliability& machine, Seconds interval, int segments,
                      std::mt19937_64& random) {
  std::exponential_distribution<double> next(1 / machine.mtbf.value);
  const double piece = (interval + machine.checkpoint).value;
  double now = 0, failure = next(random), holds = 0;
  for (int done = 0; done < segments;) {
    if (now + piece <= failure) {
      now += piece;
      holds = now + machine.behind.value;
      ++done;
      continue;
    }
    if (failure < holds) --done;
    holds = 0;
    do {
      now = failure;
      failure += next(random);
      now += std::min(machine.restart.value, failure - now);
    } while (now >= failure);
  }
  return now;
}

TEST(Goodput, ASimulationOfEventsAgreesWithin2Percent) {
  std::mt19937_64 random(20261128);
  for (const double mtbf : {1000.0, 6000.0, 50000.0}) {
    for (const double checkpoint : {1.0, 10.0, 120.0}) {
      for (const double restart : {0.0, 60.0, 600.0}) {
        const Reliability machine{Seconds{mtbf}, Seconds{checkpoint}, Seconds{restart}};
        const Seconds interval = daly_interval(machine);
        const int segments = 40'000;
        const double time = simulated_time(machine, interval, segments, random);
        const double simulated = interval.value * segments / time;
        EXPECT_NEAR(goodput(machine, interval) / simulated, 1, 0.02)
            << mtbf << " " << checkpoint << " " << restart;
      }
    }
  }
}

TEST(Goodput, ASimulationOfCopiesThatAreWrittenLaterAgreesWithin2Percent) {
  std::mt19937_64 random(20261128);
  for (const double mtbf : {1000.0, 6000.0, 50000.0}) {
    for (const double copy : {0.1, 1.0, 10.0}) {
      for (const double behind : {0.0, 30.0, 120.0}) {
        const Reliability machine{Seconds{mtbf}, Seconds{copy}, Seconds{60}, Seconds{behind}};
        const Seconds interval = daly_interval(machine);
        EXPECT_GE(interval.value, behind);
        const int segments = 40'000;
        const double time = simulated_time(machine, interval, segments, random);
        EXPECT_NEAR(goodput(machine, interval) / (interval.value * segments / time), 1, 0.02)
            << mtbf << " " << copy << " " << behind;
      }
    }
  }
}

/// Of a second in memory and a minute behind it more is left than of a minute.
TEST(Goodput, ACopyInMemoryIsWorthIt) {
  const Reliability waits{Seconds{20000}, Seconds{60}, Seconds{60}};
  const Reliability copies{Seconds{20000}, Seconds{1}, Seconds{60}, Seconds{60}};
  EXPECT_GT(goodput(copies, daly_interval(copies)), goodput(waits, daly_interval(waits)) + 0.03);
}

TEST(Goodput, NoIntervalLeavesMuchMoreThanDalys) {
  for (const double checkpoint : {1.0, 10.0, 100.0, 1000.0}) {
    const Reliability machine{Seconds{6000}, Seconds{checkpoint}, Seconds{300}};
    const double best = goodput(machine, daly_interval(machine));
    for (double interval = 1; interval < 60000; interval *= 1.1) {
      EXPECT_LE(goodput(machine, Seconds{interval}), best * 1.001) << checkpoint << " " << interval;
    }
  }
}

TEST(Goodput, YoungsIntervalIsTheLimitOfCheapCheckpoints) {
  const Reliability machine{Seconds{1e6}, Seconds{0.01}, Seconds{}};
  EXPECT_NEAR(daly_interval(machine).value / std::sqrt(2 * 0.01 * 1e6), 1, 1e-3);
}

TEST(Goodput, WhatNeverFailsLosesItsCheckpointsAlone) {
  const Reliability machine{Seconds{kForever}, Seconds{10}, Seconds{600}};
  EXPECT_NEAR(goodput(machine, Seconds{90}), 0.9, 1e-12);
}

TEST(Goodput, IsNeverMoreThanAllTheTime) {
  for (const double mtbf : {10.0, 1e3, 1e9}) {
    for (const double checkpoint : {0.0, 1.0, 1e4}) {
      const Reliability machine{Seconds{mtbf}, Seconds{checkpoint}, Seconds{1}};
      for (const double interval : {1e-3, 1.0, 1e3}) {
        const double share = goodput(machine, Seconds{interval});
        EXPECT_GE(share, 0);
        EXPECT_LE(share, 1);
      }
    }
  }
}

}  // namespace goodput_test
}  // namespace oracle
