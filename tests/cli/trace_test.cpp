// The trace of a real estimate against what the same estimate says in its other forms.

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/console.h"

namespace oracle::cli {
namespace trace_test {

using Json = nlohmann::ordered_json;

Json answer(const char* strategy, const char* format) {
  const Outcome outcome = console({"estimate", "vgg16", "--cluster", "abci", "--strategy", strategy,
                                   "--batch", "256", "--format", format});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

struct Track {
  double busy = 0;  ///< all in microseconds
  double last_end = 0;
  std::set<std::pair<double, double>> spans;
};

using Tracks = std::map<std::pair<int, int>, Track>;

Tracks tracks_of(const Json& trace) {
  Tracks tracks;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    Track& track = tracks[{event["pid"].get<int>(), event["tid"].get<int>()}];
    const double start = event["ts"], length = event["dur"];
    track.busy += length;
    track.last_end = std::max(track.last_end, start + length);
    track.spans.emplace(start, start + length);
  }
  return tracks;
}

class TraceOf : public testing::TestWithParam<const char*> {};

TEST_P(TraceOf, EventsOfATrackNeverOverlap) {
  const Tracks tracks = tracks_of(answer(GetParam(), "trace"));
  ASSERT_FALSE(tracks.empty());
  for (const auto& [key, track] : tracks) {
    double end = 0;
    for (const auto& [start, stop] : track.spans) {
      // Sums of doubles that hold whole nanoseconds.
      EXPECT_GE(start, end - 1e-6);
      end = stop;
    }
  }
}

TEST_P(TraceOf, LastsAsLongAsTheStepAndIsBusyAsLong) {
  const Json trace = answer(GetParam(), "trace");
  const Json estimate = answer(GetParam(), "json");
  const Tracks tracks = tracks_of(trace);
  double last = 0, computing = 0;
  for (const auto& [key, track] : tracks) last = std::max(last, track.last_end);
  EXPECT_NEAR(last, estimate["step_time"]["value"].get<double>() * 1e6, 2e-3);
  // All passes of all layers on all stages, each summed by layer, and the updates.
  double expected = 0;
  for (const Json& layer : estimate["layers"]) expected += layer["total"]["value"].get<double>();
  std::size_t events = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    ++events;
    const bool updates = event["cat"] == "update";
    if (event["tid"] == 1 && !updates) computing += event["dur"].get<double>();
  }
  EXPECT_NEAR(computing, expected * 1e6, static_cast<double>(events) * 1e-3);
}

TEST_P(TraceOf, NamesEveryTrackAndEndsWithEmptyMemory) {
  const Json trace = answer(GetParam(), "trace");
  std::set<std::pair<int, int>> named;
  std::map<int, double> held, most;
  for (const Json& event : trace["traceEvents"]) {
    const int pid = event["pid"];
    if (event["name"] == "thread_name") named.emplace(pid, event["tid"].get<int>());
    if (event["ph"] != "C") continue;
    held[pid] = event["args"]["bytes"];
    most[pid] = std::max(most[pid], held[pid]);
  }
  for (const auto& [key, track] : tracks_of(trace)) EXPECT_TRUE(named.contains(key));
  ASSERT_FALSE(held.empty());
  for (const auto& [pid, bytes] : held) {
    EXPECT_EQ(bytes, 0);
    EXPECT_GT(most[pid], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, TraceOf,
                         testing::Values("data:16", "data:4,filter:4",
                                         "data:4,pipeline:4; micro_batches=8",
                                         "pipeline:4; micro_batches=6; schedule=gpipe"));

TEST(Trace, OnlyAnEstimateHasOne) {
  const Outcome outcome =
      console({"plan", "alexnet", "--cluster", "abci", "--gpus", "4", "--format", "trace"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(
      outcome.err,
      "oracle: --format: \"trace\" is not a format of oracle plan; known: table, json, csv\n");
}

TEST(Trace, OfWhatDoesNotFitIsEmptyAndANo) {
  const Outcome outcome = console({"estimate", "vgg16", "--cluster", "abci", "--strategy",
                                   "filter:128", "--batch", "8", "--format", "trace"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(Json::parse(outcome.out)["traceEvents"].empty());
}

}  // namespace trace_test
}  // namespace oracle::cli
