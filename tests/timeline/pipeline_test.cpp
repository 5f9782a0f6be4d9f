#include "oracle/timeline/pipeline.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <tuple>

namespace oracle {
namespace pipeline_test {

using enum PipelineSchedule;

/// `chunks` stages of each rank.
PipelineForm form_of(PipelineSchedule schedule, const std::vector<StageTimes>& stages,
                     std::int64_t m, std::int64_t chunks = 1) {
  return {schedule, static_cast<std::int64_t>(stages.size()) / chunks, chunks, m};
}

/// When each stage ends its last turn.
std::vector<Seconds> ends_of(PipelineSchedule schedule, const std::vector<StageTimes>& stages,
                             std::int64_t m, std::int64_t chunks = 1) {
  std::vector<Seconds> ends = last_turns(form_of(schedule, stages, m, chunks), stages);
  for (std::size_t s = 0; s < ends.size(); ++s) ends[s] += stages[s].last_backward;
  return ends;
}

constexpr std::array kAll = {one_f_one_b, gpipe, zb_h1, zb_h2};

double length(PipelineSchedule schedule, const std::vector<StageTimes>& stages, std::int64_t m,
              std::int64_t chunks = 1) {
  const std::vector<Seconds> ends = ends_of(schedule, stages, m, chunks);
  return std::max_element(ends.begin(), ends.end())->value;
}

StageTimes times(double forward, double backward, double last, double to_next = 0,
                 double from_next = 0, double weights = 0) {
  return {Seconds{forward},   Seconds{backward}, Seconds{last},   Seconds{to_next},
          Seconds{from_next}, Seconds{},         Seconds{weights}};
}

TEST(Pipeline, OfEqualStagesTakesTheClosedForm) {
  const double f = 2, b = 5;
  for (const PipelineSchedule schedule : {one_f_one_b, gpipe}) {
    for (std::int64_t stages = 1; stages <= 6; ++stages) {
      for (std::int64_t m = 1; m <= 9; ++m) {
        const std::vector<StageTimes> equal(static_cast<std::size_t>(stages), times(f, b, b));
        EXPECT_DOUBLE_EQ(length(schedule, equal, m), static_cast<double>(m + stages - 1) * (f + b))
            << stages << ' ' << m;
      }
    }
  }
}

/// Of many micro-batches, where gradients of weights take no longer than a forward, or than those
/// of inputs.
TEST(Pipeline, OfZeroBubblesTakesTheClosedForm) {
  for (std::int64_t p = 2; p <= 6; ++p) {
    for (const auto& [f, i, w] :
         {std::array{10.0, 10.0, 10.0}, {10.0, 12.0, 8.0}, {7.0, 9.0, 3.0}}) {
      const std::vector<StageTimes> equal(static_cast<std::size_t>(p), times(f, i, w, 0, 0, w));
      const auto more = static_cast<double>(p - 1);
      for (const std::int64_t m : {2 * p, 3 * p + 1, 1'000'000 * p}) {
        const double busy = static_cast<double>(m) * (f + i + w);
        EXPECT_EQ(length(zb_h1, equal, m), busy + more * (f + i - w)) << p << ' ' << m;
        EXPECT_EQ(length(zb_h2, equal, m), busy + more * std::max(f, f + i - 2 * w))
            << p << ' ' << m;
      }
    }
  }
}

/// Equal stages: p forwards and p backwards by themselves at the ends, m − 1 pairs between them.
TEST(Pipeline, InPairsTakesTheClosedForm) {
  StageTimes stage = times(2, 5, 5);
  stage.paired_forward = Seconds{1};
  stage.paired_backward = Seconds{3};
  for (std::int64_t p = 1; p <= 5; ++p) {
    const std::vector<StageTimes> equal(static_cast<std::size_t>(p), stage);
    for (const std::int64_t m : {2 * p, 3 * p + 1, 100'000 * p}) {
      PipelineForm form = form_of(one_f_one_b, equal, m);
      form.together = true;
      const double last = last_turns(form, equal).front().value + 5;
      const auto pairs = static_cast<double>(m - 1);
      EXPECT_DOUBLE_EQ(last, pairs * 4 + static_cast<double>(p) * 7) << p << ' ' << m;
      const auto both = last_turns(form, equal, equal);
      EXPECT_EQ(both[0].front().value + 5, last) << "in step";
      EXPECT_EQ(both[1].front().value + 5, last);
    }
  }
}

TEST(Pipeline, OfOneMicroBatchPassesEachStageTwice) {
  const std::vector<StageTimes> stages = {times(1, 2, 2, 0.5, 0.25), times(3, 4, 4, 1, 2),
                                          times(5, 6, 6)};
  for (const PipelineSchedule schedule : {one_f_one_b, gpipe}) {
    EXPECT_DOUBLE_EQ(length(schedule, stages, 1), 1 + 3 + 5 + 6 + 4 + 2 + 0.5 + 0.25 + 1 + 2);
  }
}

TEST(Pipeline, TheGradientLeavesBeforeTheExchangeIsDone) {
  // Stage 1 exchanges for 100 after its last backward; stage 0 does not wait for it.
  const std::vector<StageTimes> stages = {times(1, 2, 2), times(1, 2, 102)};
  const std::vector<Seconds> ends = ends_of(one_f_one_b, stages, 1);
  EXPECT_DOUBLE_EQ(ends[0].value, 1 + 1 + 2 + 2);
  EXPECT_DOUBLE_EQ(ends[1].value, 1 + 1 + 102);
}

TEST(Pipeline, ALinkCarriesOneMessageAtATime) {
  // Forwards of 1 make messages of 10: the third arrives after 1 + 3·10.
  const std::vector<StageTimes> stages = {times(1, 0, 0, 10), times(1, 0, 0)};
  const PipelineRun run = run_pipeline(form_of(gpipe, stages, 3), stages, 3);
  EXPECT_DOUBLE_EQ(run[1][2].start.value, 31);
  EXPECT_DOUBLE_EQ(run[0][2].message_start.value, 21);
}

TEST(Pipeline, RecordsItsTurnsInOrder) {
  const std::vector<StageTimes> stages(3, times(1, 2, 2));
  const PipelineRun run = run_pipeline(form_of(one_f_one_b, stages, 4), stages, 4);
  const std::vector<Seconds> ends = ends_of(one_f_one_b, stages, 4);
  ASSERT_EQ(run.size(), 3U);
  for (std::size_t s = 0; s < run.size(); ++s) {
    const std::vector<Turn> order =
        rank_order(form_of(one_f_one_b, stages, 4), static_cast<std::int64_t>(s));
    ASSERT_EQ(run[s].size(), order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      EXPECT_EQ(run[s][i].turn, order[i]);
      EXPECT_GE(run[s][i].start, i > 0 ? run[s][i - 1].end : Seconds{});
    }
    EXPECT_EQ(run[s].back().end, ends[s]);
  }
}

TEST(Pipeline, RecordsTheFirstMicroBatches) {
  const std::vector<StageTimes> stages(3, times(1, 2, 4, 0.5, 0.25, 1));
  for (const PipelineSchedule schedule : kAll) {
    const PipelineForm form = form_of(schedule, stages, 5000);
    const PipelineRun all = run_pipeline(form, stages, 5000);
    const PipelineRun some = run_pipeline(form, stages, 7);
    const auto turns = static_cast<std::size_t>(form.turns_of_a_pass());
    for (std::size_t s = 0; s < stages.size(); ++s) {
      EXPECT_EQ(all[s].size(), turns * 5000);
      ASSERT_EQ(some[s].size(), turns * 7);
      std::size_t next = 0;
      for (const Slot& slot : all[s]) {
        if (slot.turn.micro_batch >= 7) continue;
        EXPECT_EQ(some[s][next].turn, slot.turn);
        EXPECT_EQ(some[s][next].start, slot.start);
        EXPECT_EQ(some[s][next++].message_end, slot.message_end);
      }
    }
  }
}

/// Times without a fraction, so that equal is equal to the last bit.
TEST(Pipeline, ThatIsPredictedIsEqualToOneThatIsRun) {
  std::mt19937 random(38);
  for (int round = 0; round < 150; ++round) {
    // Now and then stages of nearly one length, which fall behind each other slowly.
    const bool alike = round % 3 == 0;
    const auto draw = [&](unsigned most) {
      return static_cast<double>(alike && most > 4 ? 997 + random() % 4 : random() % (most + 1));
    };
    std::vector<StageTimes> stages;
    const std::size_t count = 1 + random() % 8;
    for (std::size_t s = 0; s < count; ++s) {
      const unsigned message = round % 2 == 0 ? 4 : 40;
      const double weights = round % 2 == 0 ? 0 : draw(20);
      stages.push_back(times(draw(20), draw(40), 50, draw(message), draw(message), weights));
    }
    for (const PipelineSchedule schedule : kAll) {
      for (const std::int64_t m : {511, 1200, 4001}) {
        const PipelineForm form = form_of(schedule, stages, m);
        const PipelineRun run = run_pipeline(form, stages, m);
        const std::vector<Seconds> predicted = last_turns(form, stages);
        for (std::size_t s = 0; s < count; ++s) {
          EXPECT_EQ(predicted[s], run[s].back().start) << round << ' ' << m;
        }
      }
    }
  }
}

TEST(Pipeline, OfChunksThatIsPredictedIsEqualToOneThatIsRun) {
  std::mt19937 random(43);
  const auto draw = [&](unsigned most) { return static_cast<double>(random() % (most + 1)); };
  for (int round = 0; round < 20; ++round) {
    const std::size_t ranks = 2 + random() % 4, chunks = 2 + random() % 3;
    std::vector<StageTimes> stages;
    for (std::size_t s = 0; s < ranks * chunks; ++s) {
      stages.push_back(times(draw(20), draw(40), 50, draw(4), draw(4), draw(20)));
    }
    for (const PipelineSchedule schedule : {one_f_one_b, zb_h1}) {
      for (const std::int64_t groups : {1, 7, 512, 4001}) {
        const std::int64_t m = groups * static_cast<std::int64_t>(ranks);
        const PipelineForm form = form_of(schedule, stages, m, static_cast<std::int64_t>(chunks));
        const PipelineRun run = run_pipeline(form, stages, m);
        const std::vector<Seconds> predicted = last_turns(form, stages);
        for (std::size_t s = 0; s < stages.size(); ++s) {
          ASSERT_EQ(run[s].size(), static_cast<std::size_t>(form.turns_of_a_pass() * m));
          EXPECT_EQ(predicted[s], run[s].back().start) << round << ' ' << m;
        }
      }
    }
  }
}

TEST(Pipeline, OfTwoEachIsAsItWouldBeAlone) {
  std::mt19937 random(44);
  const auto draw = [&](unsigned most) { return static_cast<double>(random() % most) / 7; };
  for (int round = 0; round < 60; ++round) {
    const std::int64_t chunks = round % 3 == 0 ? 1 + random() % 3 : 1;
    const std::int64_t ranks = 2 + random() % 6;
    std::vector<StageTimes> one, other;
    for (std::int64_t s = 0; s < ranks * chunks; ++s) {
      one.push_back(times(draw(200), draw(400), 50, draw(90), draw(90), draw(200)));
      other.push_back(times(draw(200), draw(400), 50, draw(90), draw(90), draw(200)));
    }
    for (const PipelineSchedule schedule : kAll) {
      for (const std::int64_t groups : {1, 2, 9, 600}) {
        if ((schedule == gpipe || schedule == zb_h2) && chunks > 1) continue;
        const std::int64_t m = chunks > 1 ? groups * ranks : groups;
        const PipelineForm form = form_of(schedule, one, m, chunks);
        const auto both = last_turns(form, one, other);
        EXPECT_EQ(both[0], last_turns(form, one)) << round << ' ' << m;
        EXPECT_EQ(both[1], last_turns(form, other)) << round << ' ' << m;
      }
    }
  }
}

TEST(Pipeline, OfEqualChunksTakesTheClosedForm) {
  const double f = 2, b = 5;
  for (std::int64_t ranks = 2; ranks <= 5; ++ranks) {
    for (std::int64_t chunks = 1; chunks <= 4; ++chunks) {
      for (std::int64_t groups = 1; groups <= 3; ++groups) {
        const std::int64_t m = groups * ranks;
        const std::vector<StageTimes> equal(static_cast<std::size_t>(ranks * chunks),
                                            times(f, b, b));
        EXPECT_DOUBLE_EQ(length(one_f_one_b, equal, m, chunks),
                         static_cast<double>(m * chunks + ranks - 1) * (f + b))
            << ranks << ' ' << chunks << ' ' << m;
      }
    }
  }
}

TEST(Pipeline, OfManyMicroBatchesTakesTheClosedForm) {
  const std::int64_t m = 1'000'000'000;
  const std::vector<StageTimes> stages = {times(1, 2, 2), times(2, 4, 4)};
  // Stage 1 is busy from when the first micro-batch reaches it; then its last one goes back.
  EXPECT_EQ(length(one_f_one_b, stages, m), 1 + 6.0 * static_cast<double>(m) + 2);
  const std::vector<StageTimes> chunks(4, times(1, 2, 2));
  EXPECT_EQ(length(one_f_one_b, chunks, m, 2), 3 * (2.0 * static_cast<double>(m) + 1));
}

/// The order a stage's turns are in by definition: warm-up, then in turns; or all forwards first;
/// or with the gradients of weights of so many micro-batches ago.
std::vector<std::pair<char, int>> turns_of(PipelineSchedule schedule, int stages, int stage,
                                           int m) {
  std::vector<std::pair<char, int>> turns;
  const bool parts = stages > 1 && parts_backward(schedule);
  const int ahead = parts && schedule == zb_h2 ? 2 * (stages - stage) - 1 : stages - stage;
  const int lag = schedule == zb_h2 ? 2 * stage : stage;
  const int warm_up = schedule == gpipe && stages > 1 ? m : std::min(m, ahead);
  int forward = 0, backward = 0, weights = 0;
  while (forward < warm_up) turns.emplace_back('F', forward++);
  while (backward < m) {
    turns.emplace_back('B', backward++);
    if (parts && backward > lag) turns.emplace_back('W', weights++);
    if (forward < m) turns.emplace_back('F', forward++);
  }
  while (parts && weights < m) turns.emplace_back('W', weights++);
  return turns;
}

/// Longest path over (kind, stage, micro-batch) by relaxing edges until nothing moves. Kinds: F, B,
/// and the messages f (output) and b (gradient) that a stage sends.
double longest_path(PipelineSchedule schedule, const std::vector<StageTimes>& stages, int m) {
  using Node = std::tuple<char, int, int>;
  const int count = static_cast<int>(stages.size());
  std::map<Node, double> start;
  const auto at = [&](int s) -> const StageTimes& { return stages[static_cast<std::size_t>(s)]; };
  const auto span = [&](const Node& node) {
    const auto& [kind, s, i] = node;
    if (kind == 'F') return at(s).forward.value;
    const bool parts = count > 1 && parts_backward(schedule);
    const bool last = i + 1 == m && kind == (parts ? 'W' : 'B');
    if (last) return at(s).last_backward.value;
    if (kind == 'B') return at(s).backward.value;
    if (kind == 'W') return at(s).weights.value;
    if (kind == 'f') return at(s).to_next.value;
    return s == 0 ? 0.0 : at(s - 1).from_next.value;
  };
  std::vector<std::tuple<Node, Node, double>> edges;  // from, to, delay
  for (int s = 0; s < count; ++s) {
    const auto turns = turns_of(schedule, count, s, m);
    for (std::size_t t = 0; t < turns.size(); ++t) {
      const Node node{turns[t].first, s, turns[t].second};
      start[node] = 0;
      if (t == 0) continue;
      const Node before{turns[t - 1].first, s, turns[t - 1].second};
      edges.emplace_back(before, node, span(before));
    }
    for (int i = 0; i < m; ++i) {
      start[{'f', s, i}] = start[{'b', s, i}] = 0;
      edges.emplace_back(Node{'F', s, i}, Node{'f', s, i}, at(s).forward.value);
      edges.emplace_back(Node{'B', s, i}, Node{'b', s, i}, at(s).backward.value);
      if (i > 0) {
        edges.emplace_back(Node{'f', s, i - 1}, Node{'f', s, i}, span({'f', s, i - 1}));
        edges.emplace_back(Node{'b', s, i - 1}, Node{'b', s, i}, span({'b', s, i - 1}));
      }
      if (s + 1 < count) {
        edges.emplace_back(Node{'f', s, i}, Node{'F', s + 1, i}, span({'f', s, i}));
        edges.emplace_back(Node{'b', s + 1, i}, Node{'B', s, i}, span({'b', s + 1, i}));
      }
    }
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (const auto& [from, to, delay] : edges) {
      if (start[from] + delay <= start[to]) continue;
      start[to] = start[from] + delay;
      moved = true;
    }
  }
  double end = 0;
  for (const auto& [node, when] : start) {
    const char kind = std::get<0>(node);
    if (kind == 'F' || kind == 'B' || kind == 'W') end = std::max(end, when + span(node));
  }
  return end;
}

TEST(Pipeline, OfUnequalStagesTakesTheLongestPathOfItsDependencies) {
  std::mt19937 random(11);
  const auto draw = [&] { return static_cast<double>(random() % 16); };
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = 1 + random() % 5;
    const int m = 1 + static_cast<int>(random() % 7);
    std::vector<StageTimes> stages;
    for (std::size_t s = 0; s < count; ++s) {
      const double backward = draw(), weights = draw(), more = draw();
      stages.push_back(times(draw(), backward, backward + more, draw(), draw(), weights));
    }
    for (const PipelineSchedule schedule : kAll) {
      EXPECT_DOUBLE_EQ(length(schedule, stages, m), longest_path(schedule, stages, m)) << round;
    }
  }
}

}  // namespace pipeline_test
}  // namespace oracle
