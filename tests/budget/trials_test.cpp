#include "oracle/budget/trials.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

#include "oracle/budget/trial_course.h"

namespace oracle {
namespace trials_test {

constexpr TrialTimes kHour{Seconds{3600}};

TrialSearch search_of(TrialScheduler scheduler, std::int64_t trials, std::int64_t rungs = 4,
                      std::int64_t eta = 3) {
  return {scheduler, trials, rungs, eta};
}

TEST(TrialCourse, RandomSearchIsWaves) {
  for (const std::int64_t trials : {1, 7, 64, 65}) {
    for (const std::int64_t places : {1, 3, 32, 48, 100}) {
      const TrialCourse course =
          course_of(search_of(TrialScheduler::random, trials), places, kHour, 1);
      const auto waves = static_cast<double>((trials + places - 1) / places);
      EXPECT_NEAR(course.makespan.value, waves * 3600, 1e-6) << trials << " on " << places;
      EXPECT_NEAR(course.trainings, static_cast<double>(trials), 1e-9);
      EXPECT_NEAR(course.busy, static_cast<double>(trials) / (waves * static_cast<double>(places)),
                  1e-9);
    }
  }
}

TEST(TrialCourse, HalvingIsTheWorkedOne) {
  const TrialCourse course = course_of(search_of(TrialScheduler::halving, 81), 1, kHour, 1);
  EXPECT_EQ(course.runs, (std::vector<std::int64_t>{81, 27, 9, 3}));
  // What was trained is not trained again: 81/27 + 27·(1/9 - 1/27) + 9·(1/3 - 1/9) + 3·(1 - 1/3).
  EXPECT_NEAR(course.trainings, 9, 1e-9);
  EXPECT_NEAR(course.makespan.value, 9 * 3600, 1e-6);
  EXPECT_NEAR(course.busy, 1, 1e-9);
}

TEST(TrialCourse, RungsOfHalvingWaitForEachOther) {
  // 9 at 1/9, 3 to 1/3, 1 to 1 on nine places: as long as the one that goes to the end.
  const TrialCourse course = course_of(search_of(TrialScheduler::halving, 9, 3), 9, kHour, 1);
  EXPECT_NEAR(course.makespan.value, 3600, 1e-6);
  EXPECT_NEAR(course.busy, course.trainings / 9, 1e-9);
  // On eight the ninth begins a second wave, for which all others wait.
  const TrialCourse narrower = course_of(search_of(TrialScheduler::halving, 9, 3), 8, kHour, 1);
  EXPECT_NEAR(narrower.makespan.value, 3600 * (1 + 1.0 / 9), 1e-6);
}

TEST(TrialCourse, RunsTakeTheirStartEachTime) {
  const TrialTimes times{Seconds{900}, Seconds{10}};
  const TrialCourse course = course_of(search_of(TrialScheduler::halving, 9, 3), 1, times, 1);
  EXPECT_NEAR(course.makespan.value, course.trainings * 900 + 13 * 10, 1e-6);
}

/// Li et al. 2018, table 1: R = 81, η = 3.
TEST(TrialBrackets, OfHyperbandAreThePublishedOnes) {
  const std::vector<Bracket> brackets =
      brackets_of(search_of(TrialScheduler::hyperband, trials_of_sweep(5, 3), 5));
  ASSERT_EQ(brackets.size(), 5U);
  const std::vector<std::int64_t> trials = {81, 34, 15, 8, 5};
  for (std::size_t b = 0; b < 5; ++b) {
    EXPECT_EQ(brackets[b].trials, trials[b]) << b;
    EXPECT_EQ(brackets[b].first_rung, static_cast<std::int64_t>(b));
  }
}

TEST(TrialBrackets, OfHyperbandAreRepeatedUntilAllTrialsBegan) {
  const std::vector<Bracket> brackets =
      brackets_of(search_of(TrialScheduler::hyperband, 143 + 81 + 4, 5));
  ASSERT_EQ(brackets.size(), 7U);
  EXPECT_EQ(brackets[5].trials, 81);
  EXPECT_EQ(brackets[6].trials, 4);
  EXPECT_EQ(brackets[6].first_rung, 1);
}

/// Whatever the scheduler, places and draw: no trial is judged twice at a rung, each goes on from
/// where it was, and of a rung no more than one in η (or one) goes on but those displaced later.
TEST(TrialQueue, KeepsItsLaws) {
  for (const auto scheduler : {TrialScheduler::random, TrialScheduler::halving,
                               TrialScheduler::hyperband, TrialScheduler::asha}) {
    for (const std::int64_t trials : {1, 2, 10, 100}) {
      for (const std::int64_t places : {1, 4, 33}) {
        const TrialSearch search = search_of(scheduler, trials);
        TrialQueue queue(search);
        std::map<std::int64_t, double> reached;
        std::vector<TrialRun> running;
        std::set<std::pair<std::int64_t, std::int64_t>> judged;
        std::uint64_t state = 7;
        const auto draw = [&](std::uint64_t below) {
          state = state * 6364136223846793005ULL + 1442695040888963407ULL;
          return (state >> 33) % below;
        };
        bool whole = false;
        for (;;) {
          while (static_cast<std::int64_t>(running.size()) < places) {
            const auto run = queue.next();
            if (!run) break;
            EXPECT_DOUBLE_EQ(run->from, reached[run->trial]);
            EXPECT_TRUE(judged.emplace(run->trial, run->rung).second);
            running.push_back(*run);
          }
          if (running.empty()) break;
          const auto which = static_cast<std::ptrdiff_t>(draw(running.size()));
          const TrialRun run = running[static_cast<std::size_t>(which)];
          running.erase(running.begin() + which);
          reached[run.trial] = run.to;
          whole = whole || run.to == 1;
          queue.end(run, static_cast<double>((run.trial * 37) % 101));
        }
        EXPECT_EQ(static_cast<std::int64_t>(reached.size()), trials);
        EXPECT_TRUE(whole) << name_of(scheduler) << " " << trials << " " << places;
      }
    }
  }
}

/// With trials that end in the order of their loss, best first, asha's rungs are those of halving.
TEST(TrialQueue, AshaOnOnePlaceKeepsTheBest) {
  const TrialSearch search = search_of(TrialScheduler::asha, 81);
  TrialQueue queue(search);
  std::vector<std::int64_t> runs(4);
  std::int64_t last = -1;
  while (const auto run = queue.next()) {
    ++runs[static_cast<std::size_t>(run->rung)];
    if (run->rung == 3) last = run->trial;
    queue.end(*run, static_cast<double>(run->trial));
  }
  EXPECT_EQ(runs, (std::vector<std::int64_t>{81, 27, 9, 3}));
  EXPECT_EQ(last, 2);
}

TEST(TrialCourse, AshaLeavesNoPlaceWaitingForARung) {
  const TrialSearch asha = search_of(TrialScheduler::asha, 256);
  const TrialSearch halving = search_of(TrialScheduler::halving, 256);
  const TrialCourses free = courses_of(asha, 24, kHour);
  const TrialCourses waits = courses_of(halving, 24, kHour);
  EXPECT_GT(free.mean.busy, waits.mean.busy);
  EXPECT_GT(free.mean.trainings, 0.9 * waits.mean.trainings);
  EXPECT_EQ(waits.spread, 0);
}

}  // namespace trials_test
}  // namespace oracle
