#include "microbench/links/operation.h"

#include <atomic>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

#include "tests/microbench/comm/memory_transport.h"

namespace oracle {
namespace operation_test {

using ::testing::HasSubstr;

constexpr LinkAction kCollectives[] = {LinkAction::all_reduce, LinkAction::reduce_scatter,
                                       LinkAction::all_gather, LinkAction::all_to_all};
constexpr LinkAction kMessages[] = {LinkAction::message, LinkAction::stream};

/// Passes everything on; once told to, flips a bit of what arrives.
class Saboteur final : public Communicator {
 public:
  explicit Saboteur(Communicator& inner) : inner_(inner) {}
  std::string library() const override { return inner_.library(); }
  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  GroupId make_group(std::span<const int> ranks) override { return inner_.make_group(ranks); }
  Ticket start_all_reduce(GroupId group, void* data, std::int64_t count, Element type,
                          std::string label) override {
    target_ = data;
    return inner_.start_all_reduce(group, data, count, type, std::move(label));
  }
  Ticket start_reduce_scatter(GroupId group, const void* from, void* to, std::int64_t part,
                              Element type, std::string label) override {
    target_ = to;
    return inner_.start_reduce_scatter(group, from, to, part, type, std::move(label));
  }
  Ticket start_all_gather(GroupId group, const void* from, void* to, std::int64_t part,
                          Element type, std::string label) override {
    target_ = to;
    return inner_.start_all_gather(group, from, to, part, type, std::move(label));
  }
  Ticket start_all_to_all(GroupId group, const void* from, void* to, std::int64_t part,
                          Element type, std::string label) override {
    target_ = to;
    return inner_.start_all_to_all(group, from, to, part, type, std::move(label));
  }
  Ticket start_messages(std::span<const Peer> sends, std::span<const Peer> receives, Element type,
                        std::string label) override {
    // The answer of one element is no payload.
    if (!receives.empty() && receives.front().count > 1) target_ = receives.front().data;
    return inner_.start_messages(sends, receives, type, std::move(label));
  }
  void wait(Ticket ticket) override {
    inner_.wait(ticket);
    // Of a small whole number the last bit is 0, so that this turns it however often it is done.
    if (flips && target_ != nullptr) *static_cast<unsigned char*>(target_) |= 1;
  }
  const void* target() const { return target_; }
  bool done(Ticket ticket) override { return inner_.done(ticket); }
  void barrier(std::string label) override { inner_.barrier(std::move(label)); }
  std::vector<std::string> gather(std::string_view text, std::string label) override {
    return inner_.gather(text, std::move(label));
  }
  bool any(bool mine, std::string label) override { return inner_.any(mine, std::move(label)); }
  std::int64_t bytes_sent() const override { return inner_.bytes_sent(); }
  void reset_bytes() override { inner_.reset_bytes(); }

  bool flips = false;

 private:
  Communicator& inner_;
  void* target_ = nullptr;
};

std::vector<int> all_of(const Communicator& comm) {
  std::vector<int> ranks(static_cast<std::size_t>(comm.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

/// How many checks speak, over all ranks, with and without a flipped bit on the last rank.
int findings(int ranks, std::span<const LinkAction> actions, std::int64_t bytes, bool flipped) {
  std::atomic<int> found = 0;
  fakes::run_ranks(ranks, {}, [&](Communicator& inner) {
    Saboteur comm(inner);
    const GroupId group = comm.make_group(all_of(comm));
    for (const LinkAction action : actions) {
      comm.flips = flipped && comm.rank() == comm.size() - 1;
      LinkOperationRun operation(comm, make_host_buffer, action, all_of(comm), group, bytes);
      const std::string wrong = operation.check();
      if (wrong.empty()) continue;
      ++found;
      EXPECT_THAT(wrong, HasSubstr(std::string(name_of(action))));
    }
  });
  return found;
}

TEST(LinkOperation, ResultsAreRight) {
  for (const std::int64_t bytes : {4, 60, 4096}) {
    EXPECT_EQ(findings(3, kCollectives, bytes, false), 0) << bytes;
    EXPECT_EQ(findings(2, kMessages, bytes, false), 0) << bytes;
  }
}

TEST(LinkOperation, AFlippedBitIsNoticed) {
  EXPECT_EQ(findings(3, kCollectives, 4096, true), 4);
  EXPECT_EQ(findings(2, kMessages, 4096, true), 2);
}

/// As in a step, whose layers have used it since; a sum stays in its place.
TEST(LinkOperation, WhatIsTakenGoesToOnePlaceAfterTheOther) {
  fakes::run_ranks(2, {}, [&](Communicator& inner) {
    Saboteur comm(inner);
    const GroupId group = comm.make_group(all_of(comm));
    const auto places = [&](LinkAction action, std::int64_t bytes) {
      LinkOperationRun operation(comm, make_host_buffer, action, all_of(comm), group, bytes);
      std::set<const void*> all;
      for (int i = 0; i < 5; ++i) {
        operation.run();
        all.insert(comm.target());
      }
      return all.size();
    };
    EXPECT_EQ(places(LinkAction::all_gather, 4096), 5U);
    EXPECT_EQ(places(LinkAction::message, 4096), 5U);
    EXPECT_EQ(places(LinkAction::reduce_scatter, std::int64_t{16} << 20), 2U);
    EXPECT_EQ(places(LinkAction::all_reduce, 4096), 1U);
  });
}

/// Memory that the host reads and writes by calls alone: where it lies, all bits are turned.
class FarBuffer final : public Buffer {
 public:
  explicit FarBuffer(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {}
  void* data() override { return bytes_.data(); }
  std::int64_t bytes() const override { return static_cast<std::int64_t>(bytes_.size()); }
  void read(void* to, std::int64_t count) override { turn(bytes_.data(), to, count); }
  void write(const void* from, std::int64_t count) override { turn(from, bytes_.data(), count); }
  void zero(std::int64_t begin, std::int64_t count) override {
    std::memset(bytes_.data() + begin, 0xff, static_cast<std::size_t>(count));
  }

 private:
  static void turn(const void* from, void* to, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      static_cast<unsigned char*>(to)[i] =
          static_cast<unsigned char>(~static_cast<const unsigned char*>(from)[i]);
    }
  }
  std::vector<unsigned char> bytes_;
};

TEST(LinkOperation, TouchesADevicesMemoryByItsCallsAlone) {
  const MakeBuffer far = [](std::int64_t bytes) { return std::make_unique<FarBuffer>(bytes); };
  fakes::run_ranks(2, {}, [&](Communicator& comm) {
    const GroupId group = comm.make_group(all_of(comm));
    for (const LinkAction action : {LinkAction::all_gather, LinkAction::all_to_all,
                                    LinkAction::message, LinkAction::stream}) {
      LinkOperationRun operation(comm, far, action, all_of(comm), group, 4096);
      EXPECT_EQ(operation.check(), "") << name_of(action);
    }
    const float own = static_cast<float>(comm.rank()) + 0.5F;
    std::vector<float> all(2);
    gather_everywhere(comm, far, group, &own, sizeof own, all.data(), "halves");
    EXPECT_THAT(all, ::testing::ElementsAre(0.5F, 1.5F));
  });
}

TEST(LinkOperation, WorkedNumber) {
  EXPECT_EQ(exact_value(2, 3), 47);
  EXPECT_EQ(exact_value(0, 3) + exact_value(2, 3), 68);
}

TEST(LinkOperation, PartsAreEqual) {
  fakes::run_ranks(3, {}, [&](Communicator& comm) {
    const GroupId group = comm.make_group(all_of(comm));
    const auto bytes = [&](LinkAction action, std::int64_t wanted) {
      return LinkOperationRun(comm, make_host_buffer, action, all_of(comm), group, wanted).bytes();
    };
    EXPECT_EQ(bytes(LinkAction::all_gather, 4), 12);
    EXPECT_EQ(bytes(LinkAction::all_to_all, 100), 108);
    EXPECT_EQ(bytes(LinkAction::all_reduce, 100), 100);
  });
}

}  // namespace operation_test
}  // namespace oracle
