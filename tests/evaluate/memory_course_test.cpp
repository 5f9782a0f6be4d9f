#include "oracle/evaluate/memory_course.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/memory/liveness.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace memory_course_test {

const Graph kChain = dense_chain({64, 32, 64, 16}, true);

struct Course {
  Evaluation evaluation;
  std::vector<MemoryPoint> points;

  Bytes most(std::uint32_t stage) const {
    Bytes top;
    for (const MemoryPoint& point : points) {
      if (point.stage == stage) top = std::max(top, point.transient);
    }
    return top;
  }
  Bytes at(std::uint32_t stage, Seconds when) const {
    Bytes held;
    for (const MemoryPoint& point : points) {
      if (point.stage == stage && point.at <= when) held = point.transient;
    }
    return held;
  }
};

Course course_of(const std::string& strategy) {
  Course course{evaluate(kChain, flat_cluster(), {}, parse_strategy(strategy), training_of(64),
                         Detail::events),
                {}};
  course.points =
      memory_course(kChain, *course.evaluation.plan, course.evaluation.fits()->timeline);
  return course;
}

TEST(MemoryCourse, OneMicroBatchPeaksWhereItsLivenessDoes) {
  for (const char* strategy : {"serial", "data:4", "filter:2"}) {
    const Course course = course_of(strategy);
    Bytes most;
    for (const LivePoint& point : liveness(kChain, *course.evaluation.plan, 0).points) {
      most = std::max(most, point.total());
    }
    EXPECT_EQ(course.most(0), most) << strategy;
    EXPECT_EQ(course.points.back().transient, Bytes{}) << strategy;
  }
}

TEST(MemoryCourse, GPipeHoldsEveryMicroBatchWhenForwardEnds) {
  const Course course = course_of("pipeline:2; micro_batches=4; schedule=gpipe");
  Seconds forward_end;
  for (const Event& event : course.evaluation.fits()->timeline.events) {
    if (event.stage == 0 && event.stream == Stream::compute && event.phase == Phase::forward) {
      forward_end = std::max(forward_end, event.end);
    }
  }
  const Bytes kept = liveness(kChain, *course.evaluation.plan, 0).kept;
  ASSERT_GT(kept, Bytes{});
  EXPECT_EQ(course.at(0, forward_end), 4 * kept);
}

TEST(MemoryCourse, OneForwardOneBackwardHoldsLess) {
  const Course gpipe = course_of("pipeline:2; micro_batches=8; schedule=gpipe");
  const Course steady = course_of("pipeline:2; micro_batches=8; schedule=1f1b");
  EXPECT_LT(steady.most(0), gpipe.most(0));
}

TEST(MemoryCourse, IsSortedAndEndsEmptyOnEveryStage) {
  const Course course = course_of("data:2,pipeline:3; micro_batches=4");
  EXPECT_TRUE(
      std::is_sorted(course.points.begin(), course.points.end(),
                     [](const MemoryPoint& a, const MemoryPoint& b) { return a.at < b.at; }));
  for (std::uint32_t stage = 0; stage < 3; ++stage) {
    EXPECT_GT(course.most(stage), Bytes{});
    EXPECT_EQ(course.at(stage, Seconds{1e9}), Bytes{});
  }
}

}  // namespace memory_course_test
}  // namespace oracle
