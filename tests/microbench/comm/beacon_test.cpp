#include "microbench/comm/beacon.h"

#include <arpa/inet.h>
#include <atomic>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace oracle {
namespace beacon_test {

constexpr std::uint64_t kToken = 77;

std::string snapshot_of(int rank) {
  Snapshot snapshot;
  snapshot.rank = rank;
  snapshot.host = "h";
  return to_text(snapshot);
}

/// Answers one caller.
std::optional<Purpose> answer_next(const Beacon& beacon, const std::string& text) {
  pollfd watched{beacon.descriptor(), POLLIN, 0};
  poll(&watched, 1, -1);
  return beacon.answer(kToken, text);
}

Question question(std::uint64_t token, int milliseconds) {
  return {token, Purpose::report, std::chrono::milliseconds(milliseconds)};
}

TEST(Beacon, AnswersWithItsSnapshotAndLearnsThePurpose) {
  const Beacon own;
  const Beacon other;
  std::optional<Purpose> purpose;
  std::thread answering([&] { purpose = answer_next(other, snapshot_of(1)); });
  const auto answers =
      ask({1}, {own.address(), other.address()}, question(kToken, 20000), own, [] {});
  answering.join();
  EXPECT_EQ(answers.at(1).state, Answer::State::answered);
  EXPECT_EQ(answers.at(1).snapshot.rank, 1);
  EXPECT_EQ(purpose, Purpose::report);
}

TEST(Beacon, WhoListensNoMoreIsGone) {
  const Beacon own;
  BeaconAddress address;
  { address = Beacon().address(); }
  const auto answers = ask({1}, {own.address(), address}, question(kToken, 20000), own, [] {});
  EXPECT_EQ(answers.at(1).state, Answer::State::gone);
}

TEST(Beacon, WhoDoesNotAnswerIsSilent) {
  const Beacon own;
  const Beacon stopped;
  const auto answers =
      ask({1}, {own.address(), stopped.address()}, question(kToken, 50), own, [] {});
  EXPECT_EQ(answers.at(1).state, Answer::State::silent);
}

TEST(Beacon, AnotherJobGetsNoAnswer) {
  const Beacon own;
  const Beacon other;
  std::thread answering([&] { EXPECT_FALSE(answer_next(other, snapshot_of(1))); });
  const auto answers =
      ask({1}, {own.address(), other.address()}, question(kToken + 1, 300), own, [] {});
  answering.join();
  EXPECT_EQ(answers.at(1).state, Answer::State::silent);
}

TEST(Beacon, AnAnswerOfAnotherRankDoesNotCount) {
  const Beacon own;
  const Beacon other;
  std::thread answering([&] { answer_next(other, snapshot_of(2)); });
  const auto answers =
      ask({1}, {own.address(), other.address()}, question(kToken, 300), own, [] {});
  answering.join();
  EXPECT_EQ(answers.at(1).state, Answer::State::silent);
}

TEST(Beacon, WhoAsksIsServedWhileItAsks) {
  const Beacon own;
  const Beacon other;
  // Both ask each other, each in one thread that also answers.
  std::map<int, Answer> first;
  std::map<int, Answer> second;
  const std::vector<BeaconAddress> addresses = {own.address(), other.address()};
  std::atomic<int> open = 2;
  const auto both = [&](const Beacon& mine, int peer, int self, std::map<int, Answer>& found) {
    found = ask({peer}, addresses, question(kToken, 20000), mine,
                [&] { mine.answer(kToken, snapshot_of(self)); });
    --open;
    while (open > 0) {
      pollfd watched{mine.descriptor(), POLLIN, 0};
      if (poll(&watched, 1, 1) > 0) mine.answer(kToken, snapshot_of(self));
    }
  };
  std::thread thread([&] { both(other, 0, 1, second); });
  both(own, 1, 0, first);
  thread.join();
  EXPECT_EQ(first.at(1).state, Answer::State::answered);
  EXPECT_EQ(second.at(0).state, Answer::State::answered);
}

TEST(Beacon, AnAddressReadsBackAsItWasWritten) {
  const BeaconAddress address{"node7", 42, 65535, {1, 0xFFFFFFFF}};
  EXPECT_EQ(read_beacon_address(to_text(address)), address);
  for (const char* text : {"", "1 2", "1 2 99999 3", "1 2 2 5 node", "x 2 0 node"}) {
    EXPECT_FALSE(read_beacon_address(text)) << text;
  }
}

}  // namespace beacon_test
}  // namespace oracle
