#pragma once
// A slow reference for collectives: messages in rounds, with the data they carry.
//
// Ranks hold, per block of the buffer, the set of ranks whose values are summed in it. A round
// moves blocks; it lasts the largest α among its messages and as long as the busiest uplink needs:
// a device's for all it sends, a node's for all that leaves it. Every round waits for the one
// before.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace oracle {

struct Network {
  int ranks = 1;
  int per_node = 1;  ///< ranks of a node; all of them on one level
  double inside_latency = 0, inside = 1;
  double across_latency = 0, across = 1;
};

struct Message {
  int from, to;
  std::vector<int> blocks;
  bool add = true;  ///< sum into what the receiver has, or replace it
};

class Simulation {
 public:
  Simulation(const Network& network, int blocks, double bytes)
      : network_(network), block_bytes_(bytes / blocks) {
    for (int r = 0; r < network.ranks; ++r) {
      held_.emplace_back(static_cast<std::size_t>(blocks), std::uint64_t{1} << r);
    }
  }

  void round(const std::vector<Message>& messages) {
    const auto before = held_;
    std::map<int, double> device, node;
    double latency = 0;
    for (const Message& m : messages) {
      const double bytes = block_bytes_ * static_cast<double>(m.blocks.size());
      const bool crosses = m.from / network_.per_node != m.to / network_.per_node;
      device[m.from] += bytes;
      if (crosses) node[m.from / network_.per_node] += bytes;
      latency = std::max(latency, crosses ? network_.across_latency : network_.inside_latency);
      for (const int b : m.blocks) {
        const std::uint64_t moved = before[at(m.from)][at(b)];
        std::uint64_t& kept = held_[at(m.to)][at(b)];
        kept = m.add ? kept | moved : moved;
        twice_ = twice_ || (m.add && (before[at(m.to)][at(b)] & moved) != 0);
      }
    }
    double transfer = 0;
    for (const auto& [_, bytes] : device) transfer = std::max(transfer, bytes / network_.inside);
    for (const auto& [_, bytes] : node) transfer = std::max(transfer, bytes / network_.across);
    time_ += latency + transfer;
  }

  double time() const { return time_; }
  /// The ranks summed in a block as `rank` holds it.
  std::uint64_t sum(int rank, int block) const { return held_[at(rank)][at(block)]; }
  std::uint64_t all() const { return (std::uint64_t{1} << network_.ranks) - 1; }
  /// Whether some value was added twice.
  bool twice() const { return twice_; }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  Network network_;
  double block_bytes_;
  std::vector<std::vector<std::uint64_t>> held_;
  double time_ = 0;
  bool twice_ = false;
};

}  // namespace oracle
