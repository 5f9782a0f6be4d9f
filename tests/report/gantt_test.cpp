#include "oracle/report/gantt.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/report/text.h"

namespace oracle::report {
namespace gantt_test {

Event event(std::uint32_t stage, std::uint32_t micro_batch, Stream stream, Phase phase,
            double start, double end) {
  return {stage, micro_batch, 0, stream, phase, Seconds{start}, Seconds{end}};
}

/// Ten seconds of one stage: two micro-batches, an exchange from second 5 on, an update.
Timeline example() {
  Timeline timeline;
  timeline.length = Seconds{10};
  timeline.events = {event(0, 0, Stream::compute, Phase::forward, 0, 2),
                     event(0, 1, Stream::compute, Phase::forward, 2, 4),
                     event(0, 0, Stream::compute, Phase::backward, 4, 7),
                     event(0, 0, Stream::exchange, Phase::exchange, 5, 9),
                     event(0, 0, Stream::compute, Phase::update, 9, 10)};
  return timeline;
}

std::size_t count_of(const std::string& text, char letter) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), letter));
}

TEST(Gantt, ColumnsAreSharesOfTheStep) {
  const Figure figure = gantt(example());
  ASSERT_EQ(figure.lines.size(), 3U);
  const std::string compute = figure.lines[0].substr(figure.lines[0].find('F'));
  // 74 columns for 10 s: 2 s are 14.8 columns, 3 s are 22.2, 1 s is 7.4.
  EXPECT_EQ(count_of(compute, 'F'), 15U);
  EXPECT_EQ(count_of(compute, 'f'), 15U);
  EXPECT_EQ(count_of(compute, 'B'), 22U);
  EXPECT_EQ(count_of(compute, 'U'), 7U);
  EXPECT_EQ(compute.find('U'), 67U);
  EXPECT_TRUE(figure.lines[0].starts_with("stage 0  compute"));
  const std::string exchange = figure.lines[1].substr(figure.lines[0].find('F'));
  EXPECT_EQ(exchange.find('x'), 37U);
  EXPECT_EQ(count_of(exchange, 'x'), 30U);
}

TEST(Gantt, OfTheFirstMicroBatchesIsAsLongAsTheirEvents) {
  Timeline timeline = example();
  timeline.length = Seconds{1e6};
  timeline.shown = 2;
  timeline.micro_batches = 1'000'000;
  const Figure figure = gantt(timeline);
  EXPECT_EQ(figure.title, "timeline, the first 2 of 1,000,000 micro-batches");
  EXPECT_TRUE(figure.lines[2].ends_with("10.0 s"));
  EXPECT_EQ(figure.lines, gantt(example()).lines);
}

TEST(Gantt, FitsATerminalAndStatesItsScale) {
  const Figure figure = gantt(example());
  for (const std::string& line : figure.lines) EXPECT_LE(display_width(line), 98U) << line;
  EXPECT_TRUE(figure.lines[2].ends_with("10.0 s"));
  EXPECT_TRUE(figure.legend.ends_with("a column is 135 ms")) << figure.legend;
}

TEST(Gantt, IsAsWideAsTheTerminal) {
  for (const std::size_t width : {40U, 80U, 200U}) {
    const Figure figure = gantt(example(), width);
    EXPECT_EQ(display_width(figure.lines.back()), width - 2) << "beside the indent of a table";
  }
}

TEST(Gantt, ShortEventsLeaveADot) {
  Timeline timeline = example();
  timeline.events = {event(0, 0, Stream::communication, Phase::forward, 5, 5.01)};
  const Figure figure = gantt(timeline);
  const std::string drawn = figure.lines[0].substr(display_width("stage 0  communication"));
  EXPECT_EQ(count_of(drawn, 'c'), 0U);
  EXPECT_EQ(count_of(drawn, '.'), 1U);
}

TEST(Gantt, ManyStagesAreCounted) {
  Timeline timeline = example();
  for (std::uint32_t stage = 1; stage < 20; ++stage) {
    timeline.events.push_back(event(stage, 0, Stream::compute, Phase::forward, 0, 1));
  }
  const Figure figure = gantt(timeline);
  EXPECT_EQ(figure.lines[figure.lines.size() - 2], "and 4 more stages");
}

TEST(Gantt, AnEmptyTimelineIsNotDrawn) { EXPECT_TRUE(gantt({}).lines.empty()); }

}  // namespace gantt_test
}  // namespace oracle::report
