// Collectives of a communicator with one rank, which has no one to send to: with them a program
// trains on the emulated device as it would on a GPU. The last function is the door that NCCL's
// module has too.

#include <utility>

#include "microbench/comm/nccl/device_collectives.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

class Reached final : public DeviceCollectives::Mark {
 public:
  bool reached() const override { return true; }
};

class OneRank final : public DeviceCollectives {
 public:
  std::string library() const override { return "none, of one rank"; }
  std::string new_id() override { return "one"; }
  Channel join(const std::string&, int, int size) override {
    if (size == 1) return next_++;
    throw EnvironmentError("the emulated GPU is one rank's, and " + std::to_string(size) +
                           " were started");
  }
  Channel split(Channel, int color, int) override { return color < 0 ? kNone : next_++; }
  void all_reduce(Channel, void*, std::int64_t, Element) override {}
  void reduce_scatter(Channel, const void*, void*, std::int64_t, Element) override { nobody(); }
  void all_gather(Channel, const void*, void*, std::int64_t, Element) override { nobody(); }
  void messages(Channel, std::span<const Peer>, std::span<const Peer>, Element) override {
    nobody();
  }
  std::unique_ptr<Mark> mark(Channel) override { return std::make_unique<Reached>(); }
  std::string trouble() override { return {}; }
  void abort() override {}
  void close() override {}

 private:
  [[noreturn]] static void nobody() { throw Defect("one rank exchanges with itself"); }

  Channel next_ = 0;
};

}  // namespace
}  // namespace oracle

extern "C" {

__attribute__((visibility("default"))) oracle::DeviceCollectives* oracle_make_nccl_collectives() {
  return new oracle::OneRank();
}
}
