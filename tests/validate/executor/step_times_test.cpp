#include "validate/executor/step_times.h"

#include <gtest/gtest.h>

namespace oracle {
namespace {

/// A second passes from mark to mark, and none can be read before the device has come so far.
class Seconds final : public Stopwatch {
 public:
  explicit Seconds(const bool& complete) : complete_(complete) {}
  Mark mark() override { return set_++; }
  double seconds(Mark from, Mark to) const override {
    if (!complete_) throw std::logic_error("a mark is read while the device is at work");
    return static_cast<double>(to) - static_cast<double>(from);
  }
  void reset() override { set_ = 0; }

 private:
  const bool& complete_;
  Mark set_ = 0;
};

TEST(StepTimes, AreAddedUpWhenAllIsComplete) {
  bool complete = false;
  StepTimes times(std::make_unique<Seconds>(complete));
  double first = 0, second = 0;
  times.begin_step();
  const Mark begin = times.mark();
  times.count(times.mark(), first);
  times.count(begin, second);
  times.count(times.mark(), first);
  EXPECT_EQ(first, 0);
  complete = true;
  times.settle();
  EXPECT_EQ(first, 2);
  EXPECT_EQ(second, 3);
}

TEST(StepTimes, OfOnePartWithinAnotherCountOnce) {
  const bool complete = true;
  StepTimes times(std::make_unique<Seconds>(complete));
  double layer = 0, exchange = 0;
  times.begin_step();
  const Mark begin = times.mark();
  times.count(times.mark(), exchange, layer);
  times.count(begin, layer);
  times.settle();
  EXPECT_EQ(exchange, 1);
  EXPECT_EQ(layer, 2);
}

TEST(StepTimes, AreNotNotedWhileTheyRest) {
  const bool complete = true;
  StepTimes times(std::make_unique<Seconds>(complete));
  double figure = 0, other = 0;
  times.rest(true);
  times.count(times.mark(), figure, other);
  times.rest(false);
  EXPECT_EQ(times.mark(), 0U);
  times.settle();
  EXPECT_EQ(figure, 0);
}

TEST(StepTimes, OfAStepThatBrokeOffAreForgotten) {
  const bool complete = true;
  StepTimes times(std::make_unique<Seconds>(complete));
  double figure = 0;
  times.count(times.mark(), figure);
  times.begin_step();
  times.settle();
  EXPECT_EQ(figure, 0);
}

}  // namespace
}  // namespace oracle
