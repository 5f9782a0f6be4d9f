#include "oracle/calibrate/link_table.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "oracle/base/statistics.h"

namespace oracle {
namespace {

struct Spread {
  std::vector<double> median, low, high;
};

/// Times that never fall with size: neighbours that do share the mean of their logarithms.
std::vector<double> level_times(std::span<const LinkPoint> table) {
  struct Block {
    double mean = 0;
    std::size_t rows = 0;
  };
  std::vector<Block> blocks;
  for (const LinkPoint& row : table) {
    blocks.push_back({std::log(row.time.value), 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean > blocks.back().mean) {
      const Block last = blocks.back();
      blocks.pop_back();
      Block& before = blocks.back();
      const auto a = static_cast<double>(before.rows);
      const auto b = static_cast<double>(last.rows);
      before = {(before.mean * a + last.mean * b) / (a + b), before.rows + last.rows};
    }
  }
  std::vector<double> times;
  for (const Block& block : blocks) times.insert(times.end(), block.rows, std::exp(block.mean));
  return times;
}

/// Bytes that cost nothing are taken to cost a thousandth of the latency.
LinkPiece join(double m1, double t1, double m2, double t2) {
  const double slope = (t2 - t1) / (m2 - m1);
  const double latency = t1 - slope * m1;
  if (latency < 0) return {Bytes{m1}, Seconds{0}, Bandwidth{m2 / t2}, 0};
  return {Bytes{m1}, Seconds{latency}, Bandwidth{1 / std::max(slope, latency * 1e-3 / m2)}, 0};
}

}  // namespace

std::vector<LinkPoint> link_table(std::span<const LinkSample* const> samples) {
  std::map<double, Spread> sizes;
  for (const LinkSample* sample : samples) {
    const LinkRounds rounds = rounds_of(sample->operation, sample->ranks, sample->bytes);
    Spread& spread = sizes[rounds.message.value];
    spread.median.push_back(sample->median.value / rounds.rounds);
    spread.low.push_back(sample->low.value / rounds.rounds);
    spread.high.push_back(sample->high.value / rounds.rounds);
  }
  std::vector<LinkPoint> table;
  for (const auto& [message, spread] : sizes) {
    table.push_back({Bytes{message}, Seconds{median(spread.median)}, Seconds{median(spread.low)},
                     Seconds{median(spread.high)},
                     static_cast<std::int64_t>(spread.median.size())});
  }
  return table;
}

std::vector<LinkPiece> joined_pieces(std::span<const LinkPoint> table) {
  if (table.empty()) return {};
  const std::vector<double> times = level_times(table);
  std::vector<LinkPiece> pieces;
  for (std::size_t i = 0; i + 1 < table.size(); ++i) {
    pieces.push_back(
        join(table[i].message.value, times[i], table[i + 1].message.value, times[i + 1]));
  }
  const Bytes longest = table.back().message;
  pieces.push_back({longest, Seconds{0}, longest / Seconds{times.back()}, 0});
  pieces.front().from = Bytes{0};
  return pieces;
}

}  // namespace oracle
