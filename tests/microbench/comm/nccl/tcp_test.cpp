#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "microbench/comm/nccl/tcp_meeting.h"
#include "oracle/base/error.h"

namespace oracle {
namespace tcp_test {

Environment with(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

std::map<std::string, std::string> four(const std::string& rank = "1") {
  return {{"RANK", rank}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "node7"}, {"MASTER_PORT", "29500"}};
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

/// One that no one listens on.
int free_port() {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  bind(descriptor, reinterpret_cast<sockaddr*>(&address), length);
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length);
  close(descriptor);
  return ntohs(address.sin_port);
}

TEST(TcpPlace, IsReadAsTorchrunSetsIt) {
  EXPECT_EQ(tcp_place(with(four())), (TcpPlace{1, 4, "node7", 29500}));
  EXPECT_EQ(tcp_place(with({})), std::nullopt);
}

TEST(TcpPlace, LeavesTorchrunsOwnPortAlone) {
  auto variables = four();
  variables["TORCHELASTIC_USE_AGENT_STORE"] = "True";
  EXPECT_EQ(tcp_place(with(variables))->port, 29501);
}

TEST(TcpPlace, RefusesWhatIsMissingOrNoPlace) {
  for (const char* name : {"WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
    auto variables = four();
    variables.erase(name);
    EXPECT_THROW(tcp_place(with(variables)), EnvironmentError) << name;
  }
  EXPECT_THROW(tcp_place(with(four("4"))), EnvironmentError);
  EXPECT_THROW(tcp_place(with(four("one"))), EnvironmentError);
}

/// Runs `program` on a meeting of each rank; what a rank threw, or nothing.
std::vector<std::string> meet(int ranks, const std::function<void(Meeting&)>& program) {
  const int port = free_port();
  std::vector<std::string> thrown(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        const auto meeting = make_tcp_meeting({rank, ranks, "127.0.0.1", port});
        meeting->open();
        program(*meeting);
      } catch (const EnvironmentError& error) {
        thrown[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return thrown;
}

TEST(TcpMeeting, SharesEveryRanksText) {
  std::vector<std::vector<std::string>> heard(3);
  const auto thrown = meet(3, [&](Meeting& meeting) {
    const std::string bytes("\0\xff", 2);
    const auto own = static_cast<std::size_t>(meeting.rank());
    EXPECT_EQ(meeting.size(), 3);
    meeting.share("");
    heard[own] = meeting.share(bytes + std::string(own * 100000, 'x'));
    meeting.close();
  });
  EXPECT_THAT(thrown, testing::Each(""));
  for (const auto& texts : heard) {
    ASSERT_EQ(texts.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(texts[i].size(), 2 + i * 100000);
  }
}

TEST(TcpMeeting, OfOneNeedsNoPort) {
  const auto meeting = make_tcp_meeting({});
  meeting->open();
  EXPECT_THAT(meeting->share("alone"), testing::ElementsAre("alone"));
}

TEST(TcpMeeting, SaysThatARankIsGone) {
  const auto thrown = meet(2, [](Meeting& meeting) {
    if (meeting.rank() == 0) meeting.share("");
  });
  EXPECT_EQ(thrown[0], "rank 1 is gone");
  EXPECT_EQ(thrown[1], "");
}

TEST(TcpMeeting, SendsAStrangerAway) {
  const int port = free_port();
  std::thread first([&] {
    const auto meeting = make_tcp_meeting({0, 2, "127.0.0.1", port});
    meeting->open();
    EXPECT_THAT(meeting->share("a"), testing::ElementsAre("a", "b"));
  });
  sockaddr_in address = loopback(port);
  int stranger = -1;
  do {
    if (stranger >= 0) close(stranger);
    stranger = socket(AF_INET, SOCK_STREAM, 0);
  } while (connect(stranger, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0);
  const std::string request = "GET / HTTP/1.1\r\nHost: oracle\r\n\r\n";
  EXPECT_EQ(send(stranger, request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  const auto second = make_tcp_meeting({1, 2, "127.0.0.1", port});
  second->open();
  EXPECT_THAT(second->share("b"), testing::ElementsAre("a", "b"));
  first.join();
  close(stranger);
}

TEST(TcpMeeting, RefusesARankOfAnotherJob) {
  const int port = free_port();
  std::thread first([&] {
    const auto meeting = make_tcp_meeting({0, 2, "127.0.0.1", port});
    meeting->open();
  });
  const auto other = make_tcp_meeting({1, 3, "127.0.0.1", port});
  EXPECT_THROW(other->open(), EnvironmentError);
  const auto second = make_tcp_meeting({1, 2, "127.0.0.1", port});
  second->open();
  first.join();
}

TEST(TcpMeeting, SaysThatItsPortIsTaken) {
  const int taken = socket(AF_INET6, SOCK_STREAM, 0);
  ASSERT_EQ(listen(taken, 1), 0);
  sockaddr_in6 address{};
  socklen_t length = sizeof address;
  getsockname(taken, reinterpret_cast<sockaddr*>(&address), &length);
  const int port = ntohs(address.sin6_port);
  const int four_taken = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in four_address = loopback(port);
  four_address.sin_addr.s_addr = htonl(INADDR_ANY);
  static_cast<void>(
      bind(four_taken, reinterpret_cast<sockaddr*>(&four_address), sizeof four_address));
  static_cast<void>(listen(four_taken, 1));
  const auto meeting = make_tcp_meeting({0, 2, "127.0.0.1", port});
  try {
    meeting->open();
    FAIL() << "listens on a port that is taken";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("cannot listen on MASTER_PORT"));
  }
  close(four_taken);
  close(taken);
}

}  // namespace tcp_test
}  // namespace oracle
