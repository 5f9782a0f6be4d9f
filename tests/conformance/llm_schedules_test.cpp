// Pipeline schedules: order, makespan, idle time and micro-batches in flight, to the tick.
//
// Rows of gpipe, 1f1b, interleaved 1f1b, zb_h1 and zb_h2; the others lay stages out in a V, or run
// a pipeline in both directions, and are counted, so that one that is added is noticed. One
// convention differs: gpipe without a pipeline is accumulation of gradients here, forward and
// backward in turn, so that order and micro-batches in flight of a single device are not compared.

#include <algorithm>
#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "oracle/io/json/document.h"
#include "oracle/io/json/lenient.h"
#include "oracle/timeline/pipeline.h"

namespace oracle {
namespace llm_schedules_test {

std::int64_t whole(const json::Node& node, std::string_view key) {
  const json::Node* found = json::member(node, key, json::Type::integer);
  return found != nullptr ? found->integer : 0;
}

std::vector<double> list(const json::Node& row, std::string_view key) {
  std::vector<double> values;
  const json::Node* found = json::member(row, key, json::Type::array);
  for (std::size_t i = 0; found != nullptr && i < found->items.size(); ++i) {
    values.push_back(found->items[i].real);
  }
  return values;
}

constexpr std::array<std::pair<std::string_view, PipelineSchedule>, 5> kBuilt = {
    {{"gpipe", PipelineSchedule::gpipe},
     {"1f1b", PipelineSchedule::one_f_one_b},
     {"interleaved_1f1b", PipelineSchedule::one_f_one_b},
     {"zb_h1", PipelineSchedule::zb_h1},
     {"zb_h2", PipelineSchedule::zb_h2}}};

PipelineForm form_of(const json::Node& row) {
  PipelineForm form;
  for (const auto& [name, schedule] : kBuilt) {
    if (json::text(row, "schedule") == name) form.schedule = schedule;
  }
  form.ranks = whole(row, "devices");
  form.chunks = whole(row, "chunks_per_device");
  form.micro_batches = whole(row, "micro_batches");
  return form;
}

std::vector<StageTimes> times_of(const json::Node& row, const PipelineForm& form) {
  std::vector<double> factors = list(row, "stage_time_factor");
  if (factors.empty()) factors.assign(static_cast<std::size_t>(form.stages()), 1);
  const Seconds message{static_cast<double>(whole(row, "t_p2p"))};
  const auto input = static_cast<double>(whole(row, "t_b_input")),
             weight = static_cast<double>(whole(row, "t_b_weight"));
  const bool parts = form.parts_backward();
  std::vector<StageTimes> times;
  for (const double factor : factors) {
    StageTimes stage;
    stage.forward = Seconds{static_cast<double>(whole(row, "t_f")) * factor};
    stage.weights = Seconds{parts ? weight * factor : 0};
    stage.backward = Seconds{(parts ? input : input + weight) * factor};
    stage.last_backward = parts ? stage.weights : stage.backward;
    stage.to_next = stage.from_next = message;
    times.push_back(stage);
  }
  times.back().to_next = times.back().from_next = Seconds{};
  return times;
}

std::vector<std::string> orders_of(const PipelineForm& form) {
  std::vector<std::string> orders;
  for (std::int64_t rank = 0; rank < form.ranks; ++rank) {
    std::string& text = orders.emplace_back();
    for (const Turn& turn : rank_order(form, rank)) {
      if (!text.empty()) text += ' ';
      const std::string_view letters = form.parts_backward() ? "FBW" : "FD";
      text += letters[static_cast<std::size_t>(turn.kind)] +
              std::to_string(form.stage_of(rank, turn.chunk)) + '.' +
              std::to_string(turn.micro_batch);
    }
  }
  return orders;
}

/// What a rank comes to.
struct RankFigures {
  double first_start = 1e300, last_end = 0, busy = 0;
};

std::vector<RankFigures> figures_of(const PipelineForm& form, const PipelineRun& run) {
  std::vector<RankFigures> figures(static_cast<std::size_t>(form.ranks));
  for (std::size_t s = 0; s < run.size(); ++s) {
    RankFigures& rank = figures[s % figures.size()];
    for (const Slot& slot : run[s]) {
      rank.first_start = std::min(rank.first_start, slot.start.value);
      rank.last_end = std::max(rank.last_end, slot.end.value);
      rank.busy += (slot.end - slot.start).value;
    }
  }
  return figures;
}

bool is_built(std::string_view schedule) {
  return std::any_of(kBuilt.begin(), kBuilt.end(),
                     [&](const auto& built) { return built.first == schedule; });
}

/// Micro-batches of a rank's stages between their forward and their backward, all of it, at most.
std::int64_t most_under_way(const PipelineForm& form, std::int64_t rank) {
  const TurnKind last = form.parts_backward() ? TurnKind::weights : TurnKind::backward;
  std::int64_t held = 0, most = 0;
  for (const Turn& turn : rank_order(form, rank)) {
    if (turn.is_forward()) most = std::max(most, ++held);
    if (turn.kind == last) --held;
  }
  return most;
}

void expect_row(const json::Node& row) {
  const PipelineForm form = form_of(row);
  const PipelineRun run = run_pipeline(form, times_of(row, form), form.micro_batches);
  const std::vector<RankFigures> ranks = figures_of(form, run);
  const auto starts = list(row, "first_start"), ends = list(row, "last_end"),
             busy = list(row, "busy_per_device"), idle = list(row, "idle_within_span"),
             held = list(row, "peak_in_flight"),
             whole_ones = list(row, "peak_before_input_gradient");
  const bool accumulates = form.ranks == 1 && form.schedule == PipelineSchedule::gpipe;
  double makespan = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const RankFigures& rank = ranks[r];
    makespan = std::max(makespan, rank.last_end);
    EXPECT_EQ(rank.first_start, starts[r]);
    EXPECT_EQ(rank.last_end, ends[r]);
    EXPECT_EQ(rank.busy, busy[r]);
    EXPECT_EQ(rank.last_end - rank.first_start - rank.busy, idle[r]);
    if (accumulates) continue;
    const auto number = static_cast<std::int64_t>(r);
    EXPECT_EQ(static_cast<double>(most_under_way(form, number)), held[r]);
    EXPECT_EQ(static_cast<double>(in_flight(form, number)), whole_ones[r]);
  }
  EXPECT_EQ(makespan, static_cast<double>(whole(row, "makespan")));
  const json::Node* orders = json::member(row, "order", json::Type::array);
  if (orders == nullptr || accumulates) return;
  const std::vector<std::string> own = orders_of(form);
  for (std::size_t r = 0; r < own.size(); ++r) EXPECT_EQ(own[r], orders->items[r].string);
}

TEST(LlmSchedules, AgreeToTheTick) {
  std::ifstream rows(ORACLE_SOURCE_DIR "/tests/conformance/data/llm_pipeline_schedules.jsonl");
  std::string line;
  int built = 0, others = 0;
  while (std::getline(rows, line)) {
    const json::Document document = json::parse(line, "schedules");
    const json::Node& row = document.root;
    if (!is_built(json::text(row, "schedule"))) {
      ++others;
      continue;
    }
    ++built;
    SCOPED_TRACE(line.substr(0, 160));
    expect_row(row);
  }
  EXPECT_EQ(built, 150);
  EXPECT_EQ(others, 103);
}

}  // namespace llm_schedules_test
}  // namespace oracle
