#include "oracle/report/gantt.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "oracle/base/quantity_text.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

/// Beside the drawing: labels, and the indent of a table.
constexpr std::size_t kStageWidth = 9;
constexpr std::size_t kStreamWidth = 15;
constexpr std::size_t kFigureIndent = 2;
constexpr std::size_t kFewestColumns = 10;
constexpr std::size_t kMostStages = 16;

char letter_of(const Event& event) {
  switch (event.stream) {
    case Stream::communication:
      return 'c';
    case Stream::exchange:
      return 'x';
    case Stream::ring:
      return 'r';
    case Stream::to_host:
      return 'v';
    case Stream::from_host:
      return '^';
    case Stream::send_forward:
      return '>';
    case Stream::send_backward:
      return '<';
    case Stream::compute:
      break;
  }
  char letter = 'F';
  if (event.phase == Phase::backward) letter = 'B';
  if (event.phase == Phase::update) letter = 'U';
  const bool odd = event.micro_batch % 2 == 1;
  return odd ? static_cast<char>(std::tolower(static_cast<unsigned char>(letter))) : letter;
}

/// One row of the drawing: what occupies each column, and for how much of it.
class Lane {
 public:
  explicit Lane(std::size_t columns) : amounts_(columns) {}

  void add(const Event& event, Seconds column) {
    const double first = event.start / column;
    const double last = event.end / column;
    for (auto c = static_cast<std::size_t>(first);
         c < amounts_.size() && static_cast<double>(c) < last; ++c) {
      const double from = std::max(first, static_cast<double>(c));
      const double to = std::min(last, static_cast<double>(c + 1));
      amounts_[c][letter_of(event)] += to - from;
    }
  }

  /// A column is drawn as its largest part where at least half of it is busy.
  std::string text() const {
    std::string line;
    for (const auto& amounts : amounts_) {
      double busy = 0;
      std::pair<char, double> largest{' ', 0};
      for (const auto& [letter, amount] : amounts) {
        busy += amount;
        if (amount > largest.second) largest = {letter, amount};
      }
      line += busy >= 0.5 ? largest.first : busy > 0 ? '.' : ' ';
    }
    return line;
  }

 private:
  std::vector<std::map<char, double>> amounts_;
};

using Lanes = std::map<std::pair<std::uint32_t, Stream>, Lane>;

std::vector<std::string> lines_of(const Lanes& lanes) {
  std::vector<std::string> lines;
  std::uint32_t last_stage = ~0U;
  for (const auto& [key, lane] : lanes) {
    const auto& [stage, stream] = key;
    const std::string label = stage == last_stage ? "" : "stage " + std::to_string(stage);
    last_stage = stage;
    lines.push_back(padded(label, kStageWidth, false) +
                    padded(name_of(stream), kStreamWidth, false) + lane.text());
  }
  return lines;
}

}  // namespace

std::string shown_phrase(const Timeline& timeline) {
  return "the first " + grouped(timeline.shown) + " of " + grouped(timeline.micro_batches) +
         " micro-batches";
}

Figure gantt(const Timeline& timeline, std::size_t width) {
  Figure figure{"timeline", {}, {}};
  Seconds length = timeline.length;
  if (timeline.shown < timeline.micro_batches) {
    figure.title += ", " + shown_phrase(timeline);
    length = {};
    for (const Event& event : timeline.events) length = std::max(length, event.end);
  }
  if (timeline.events.empty() || length.value <= 0) return figure;
  constexpr std::size_t kLabels = kFigureIndent + kStageWidth + kStreamWidth;
  const std::size_t columns = std::max(width, kLabels + kFewestColumns) - kLabels;
  const Seconds column = length / static_cast<double>(columns);
  Lanes lanes;
  std::uint32_t last_stage = 0;
  for (const Event& event : timeline.events) {
    last_stage = std::max(last_stage, event.stage);
    if (event.stage >= kMostStages) continue;
    lanes.try_emplace({event.stage, event.stream}, columns).first->second.add(event, column);
  }
  figure.lines = lines_of(lanes);
  if (last_stage >= kMostStages) {
    figure.lines.push_back("and " + number_of(last_stage + 1 - kMostStages, "more stage"));
  }
  const std::string end = to_text(length);
  figure.lines.push_back(std::string(kStageWidth + kStreamWidth, ' ') + "0" +
                         padded(end, columns - 1, true));
  figure.legend =
      "F forward, B backward, U update (small: odd micro-batches), c activation communication, x "
      "gradient exchange, r passes of a ring, v and ^ copies to and from the host, > and < "
      "messages between stages, . less than half busy; a column is " +
      to_text(column);
  return figure;
}

}  // namespace oracle::report
