#pragma once
// A communicator for one rank: the serial run beside which a distributed one is laid.

#include "microbench/comm/communicator.h"

namespace oracle {

/// Any exchange is a defect: a serial plan has none.
class Solo : public Communicator {
 public:
  std::string library() const override { return "none"; }
  int rank() const override { return 0; }
  int size() const override { return 1; }
  GroupId make_group(std::span<const int> ranks) override;
  Ticket start_all_reduce(GroupId, void*, std::int64_t, Element, std::string label) override;
  Ticket start_reduce_scatter(GroupId, const void*, void*, std::int64_t, Element,
                              std::string label) override;
  Ticket start_all_gather(GroupId, const void*, void*, std::int64_t, Element,
                          std::string label) override;
  Ticket start_all_to_all(GroupId, const void*, void*, std::int64_t, Element,
                          std::string label) override;
  Ticket start_messages(std::span<const Peer>, std::span<const Peer>, Element,
                        std::string label) override;
  void wait(Ticket ticket) override;
  bool done(Ticket ticket) override;
  void barrier(std::string label) override;
  std::vector<std::string> gather(std::string_view text, std::string label) override;
  bool any(bool mine, std::string) override { return mine; }
  std::int64_t bytes_sent() const override { return 0; }
  void reset_bytes() override {}
};

}  // namespace oracle
