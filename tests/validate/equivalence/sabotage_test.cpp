// The check is worth what it notices.

#include "tests/validate/sabotage.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "tests/validate/networks.h"
#include "tests/validate/runs.h"

namespace oracle {
namespace sabotage_test {

/// Rank 1 keeps its own summand of the first gradient bucket.
class DropsATransfer : public Sabotaged {
 public:
  using Sabotaged::Sabotaged;
  Ticket start_all_reduce(GroupId group, void* data, std::int64_t count, Element type,
                          std::string label) override {
    const Ticket ticket = inner_.start_all_reduce(group, data, count, type, label);
    if (rank() == 1 && label == "gradient bucket" && dropped_ == nullptr) {
      dropped_ = static_cast<float*>(data);
      own_.assign(dropped_, dropped_ + count);
      ticket_ = ticket;
    }
    return ticket;
  }
  void wait(Ticket ticket) override {
    inner_.wait(ticket);
    if (dropped_ != nullptr && ticket == ticket_) std::copy(own_.begin(), own_.end(), dropped_);
  }

 private:
  float* dropped_ = nullptr;
  std::vector<float> own_;
  Ticket ticket_ = 0;
};

/// The second half of every halo that rank 1 sends is zero.
class HalvesHalos : public Sabotaged {
 public:
  using Sabotaged::Sabotaged;
  Ticket start_messages(std::span<const Peer> sends, std::span<const Peer> receives, Element type,
                        std::string label) override {
    for (const Peer& send : sends) {
      if (rank() != 1 || label.find("halo") == std::string::npos) continue;
      auto* data = static_cast<float*>(send.data);
      std::fill(data + send.count / 2, data + send.count, 0.F);
    }
    return inner_.start_messages(sends, receives, type, std::move(label));
  }
};

/// Rank 0's gradients count a hundredth of a percent more.
class ScalesAGradient : public Sabotaged {
 public:
  using Sabotaged::Sabotaged;
  Ticket start_all_reduce(GroupId group, void* data, std::int64_t count, Element type,
                          std::string label) override {
    if (rank() == 0 && label == "gradient bucket") {
      std::for_each_n(static_cast<float*>(data), count, [](float& value) { value *= 1.0001F; });
    }
    return inner_.start_all_reduce(group, data, count, type, std::move(label));
  }
};

template <typename Sabotage>
Outcome spoiled_run(std::string_view strategy) {
  RunOptions options;
  options.steps = 1;
  options.decorate = [](Communicator& inner) { return std::make_unique<Sabotage>(inner); };
  return run_both(plain_network(), strategy, options);
}

TEST(Sabotage, AnHonestDecoratorPasses) {
  EXPECT_TRUE(spoiled_run<Sabotaged>("data:2").check->holds());
  EXPECT_TRUE(spoiled_run<Sabotaged>("height:2").check->holds());
}

TEST(Sabotage, ADroppedTransferIsNoticed) {
  EXPECT_FALSE(spoiled_run<DropsATransfer>("data:2").check->holds());
}

TEST(Sabotage, AHalvedHaloIsNoticed) {
  EXPECT_FALSE(spoiled_run<HalvesHalos>("height:2").check->holds());
}

TEST(Sabotage, AScaledGradientIsNoticed) {
  EXPECT_FALSE(spoiled_run<ScalesAGradient>("data:2").check->holds());
}

}  // namespace sabotage_test
}  // namespace oracle
