#pragma once
// Runs on the emulated GPU (tests/emulated_gpu/README.md), whose memory a communicator reaches and
// no one else but kernels.

#include <string>
#include <string_view>

#include "tests/validate/runs.h"
#include "tests/validate/sabotage.h"

namespace oracle {

/// Reaches the buffers that it is given, as a communicator of GPUs does.
class OnTheDevice : public Sabotaged {
 public:
  using Sabotaged::Sabotaged;

  Ticket start_all_reduce(GroupId group, void* data, std::int64_t count, Element type,
                          std::string label) override;
  Ticket start_reduce_scatter(GroupId group, const void* from, void* to, std::int64_t part,
                              Element type, std::string label) override;
  Ticket start_all_gather(GroupId group, const void* from, void* to, std::int64_t part,
                          Element type, std::string label) override;
  Ticket start_all_to_all(GroupId group, const void* from, void* to, std::int64_t part,
                          Element type, std::string label) override;
  Ticket start_messages(std::span<const Peer> sends, std::span<const Peer> receives, Element type,
                        std::string label) override;
  void wait(Ticket ticket) override;
};

/// Of ranks that have an emulated GPU each.
RunOptions options_in(std::string_view precision);

}  // namespace oracle
