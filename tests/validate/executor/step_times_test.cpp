#include "validate/executor/step_times.h"

#include <array>
#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace oracle {
namespace step_times_test {

/// A second passes from mark to mark, and none can be read before the device has come so far.
class Seconds : public Stopwatch {
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

/// Told what passes from each mark to the next, and how much of it the device is at something else.
class Interrupted final : public Stopwatch {
 public:
  Interrupted(std::vector<double> passes, std::vector<double> elsewhere)
      : passes_(std::move(passes)), elsewhere_(std::move(elsewhere)) {}
  Mark mark() override { return set_++; }
  double seconds(Mark from, Mark to) const override { return sum(passes_, from, to); }
  double seconds_on_device(Mark from, Mark to) const override {
    return sum(passes_, from, to) - sum(elsewhere_, from, to);
  }
  void reset() override { set_ = 0; }

 private:
  static double sum(const std::vector<double>& values, Mark from, Mark to) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(from);
    return std::accumulate(first, first + static_cast<std::ptrdiff_t>(to - from), 0.0);
  }

  std::vector<double> passes_, elsewhere_;
  Mark set_ = 0;
};

constexpr Doing computing = Doing::computing, passing = Doing::passing, waiting = Doing::waiting;

TEST(StepTimes, AreAddedUpWhenAllIsComplete) {
  bool complete = false;
  StepTimes times(std::make_unique<Seconds>(complete));
  double first = 0, second = 0;
  times.begin_step();
  const Mark begin = times.mark();
  times.count(times.mark(), first, computing);
  times.count(begin, second, waiting);
  times.count(times.mark(), first, computing);
  EXPECT_EQ(first, 0);
  complete = true;
  times.settle();
  EXPECT_EQ(first, 2);
  EXPECT_EQ(second, 3);
}

TEST(StepTimes, WorkedNumber) {
  // Marks of one part, of the next, and none between.
  StepTimes times(std::make_unique<Interrupted>(std::vector<double>{5, 0, 3},  //
                                                std::vector<double>{4, 0, 0}));
  double first = 0, second = 0;
  times.count(times.mark(), first, computing);
  times.count(times.mark(), second, computing);
  times.settle();
  EXPECT_DOUBLE_EQ(first, 2);
  EXPECT_DOUBLE_EQ(second, 6);
}

/// Of two kernels and what is done in between.
std::array<double, 3> around(Doing doing, const std::vector<double>& passes,
                             const std::vector<double>& elsewhere) {
  StepTimes times(std::make_unique<Interrupted>(passes, elsewhere));
  std::array<double, 3> figures{};
  times.count(times.mark(), figures[0], computing);
  times.count(times.mark(), figures[1], doing);
  times.count(times.mark(), figures[2], computing);
  times.settle();
  return figures;
}

/// Whoever waits leaves the processor, and that is no interruption.
TEST(StepTimes, OfOneStretchAreNotThoseOfAnother) {
  EXPECT_EQ(around(waiting, {2, 0, 9, 0, 3}, {1, 0, 9, 0, 0}), (std::array<double, 3>{2, 9, 3}));
}

TEST(StepTimes, OfAStretchGoOnWhereAMessageIsPassedOn) {
  EXPECT_EQ(around(passing, {4, 0, 1, 0, 2}, {2, 0, 0, 0, 0}), (std::array<double, 3>{3, 1, 3}));
}

TEST(StepTimes, AreNotNotedWhileTheyRest) {
  const bool complete = true;
  StepTimes times(std::make_unique<Seconds>(complete));
  double figure = 0;
  times.rest(true);
  times.count(times.mark(), figure, computing);
  times.rest(false);
  EXPECT_EQ(times.mark(), 0U);
  times.settle();
  EXPECT_EQ(figure, 0);
}

TEST(StepTimes, OfAStepThatBrokeOffAreForgotten) {
  const bool complete = true;
  StepTimes times(std::make_unique<Seconds>(complete));
  double figure = 0;
  times.count(times.mark(), figure, computing);
  times.begin_step();
  times.settle();
  EXPECT_EQ(figure, 0);
}

}  // namespace step_times_test
}  // namespace oracle
