#pragma once
// A communicator that does one thing wrong, on one rank.

#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "microbench/comm/communicator.h"

namespace oracle {

/// Passes everything on; tests override what they spoil.
class Sabotaged : public Communicator {
 public:
  explicit Sabotaged(Communicator& inner) : inner_(inner) {}

  std::string library() const override { return inner_.library(); }
  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  GroupId make_group(std::span<const int> ranks) override { return inner_.make_group(ranks); }
  Ticket start_all_reduce(GroupId group, void* data, std::int64_t count, Element type,
                          std::string label) override {
    return inner_.start_all_reduce(group, data, count, type, std::move(label));
  }
  Ticket start_reduce_scatter(GroupId group, const void* from, void* to, std::int64_t part,
                              Element type, std::string label) override {
    return inner_.start_reduce_scatter(group, from, to, part, type, std::move(label));
  }
  Ticket start_all_gather(GroupId group, const void* from, void* to, std::int64_t part,
                          Element type, std::string label) override {
    return inner_.start_all_gather(group, from, to, part, type, std::move(label));
  }
  Ticket start_all_to_all(GroupId group, const void* from, void* to, std::int64_t part,
                          Element type, std::string label) override {
    return inner_.start_all_to_all(group, from, to, part, type, std::move(label));
  }
  Ticket start_messages(std::span<const Peer> sends, std::span<const Peer> receives, Element type,
                        std::string label) override {
    return inner_.start_messages(sends, receives, type, std::move(label));
  }
  void wait(Ticket ticket) override { inner_.wait(ticket); }
  bool done(Ticket ticket) override { return inner_.done(ticket); }
  void barrier(std::string label) override { inner_.barrier(std::move(label)); }
  std::vector<std::string> gather(std::string_view text, std::string label) override {
    return inner_.gather(text, std::move(label));
  }
  bool any(bool mine, std::string label) override { return inner_.any(mine, std::move(label)); }
  std::int64_t bytes_sent() const override { return inner_.bytes_sent(); }
  void reset_bytes() override { inner_.reset_bytes(); }

 protected:
  Communicator& inner_;
};

}  // namespace oracle
