#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "microbench/comm/beacon.h"

namespace oracle {
namespace {

using Clock = std::chrono::steady_clock;

/// One attempt to reach a rank over one of its host's addresses.
struct Call {
  int rank = 0;
  int socket = -1;
  bool connected = false;
  std::string heard;
};

int try_connect(std::uint32_t host, std::uint16_t port) {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = host;
  to.sin_port = htons(port);
  if (connect(made, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 || errno == EINPROGRESS) {
    return made;
  }
  const int reason = errno;
  close(made);
  errno = reason;
  return -1;
}

class Inquiry {
 public:
  Inquiry(const std::vector<int>& ranks, const std::vector<BeaconAddress>& addresses,
          const Question& question, const std::string& own_host)
      : question_(question) {
    for (const int rank : ranks) {
      const BeaconAddress& address = addresses[static_cast<std::size_t>(rank)];
      std::vector<std::uint32_t> hosts = address.hosts;
      if (address.host == own_host) hosts.insert(hosts.begin(), htonl(INADDR_LOOPBACK));
      answers_[rank].state = Answer::State::silent;
      for (const std::uint32_t host : hosts) start(rank, host, address.port);
      settle(rank);
    }
  }

  ~Inquiry() {
    for (Call& call : calls_) hang_up(call);
  }
  Inquiry(const Inquiry&) = delete;
  Inquiry& operator=(const Inquiry&) = delete;

  std::map<int, Answer> run(const Beacon& own, const std::function<void()>& serve) {
    const Clock::time_point end = Clock::now() + question_.limit;
    while (!calls_.empty()) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
      if (left.count() <= 0) break;
      std::vector<pollfd> watched = {{own.descriptor(), POLLIN, 0}};
      for (const Call& call : calls_) {
        const int wanted = call.connected ? POLLIN : POLLOUT;
        watched.push_back({call.socket, static_cast<short>(wanted), 0});
      }
      poll(watched.data(), watched.size(), static_cast<int>(left.count()));
      for (std::size_t i = 0; i < calls_.size(); ++i) {
        if (watched[i + 1].revents != 0 && calls_[i].socket >= 0) go_on(calls_[i]);
      }
      std::erase_if(calls_, [](const Call& call) { return call.socket < 0; });
      // Only now: serving waits for a caller's question, and two that ask each other would both
      // wait with theirs unsaid. Who has said all it could before it serves is in no such ring.
      if (watched[0].revents != 0) serve();
    }
    return answers_;
  }

 private:
  void start(int rank, std::uint32_t host, std::uint16_t port) {
    const int made = try_connect(host, port);
    if (made >= 0) {
      calls_.push_back({rank, made, false, {}});
    } else if (errno == ECONNREFUSED) {
      refused_[rank] = true;
    }
  }

  void go_on(Call& call) {
    if (!call.connected) {
      int reason = 0;
      socklen_t length = sizeof reason;
      getsockopt(call.socket, SOL_SOCKET, SO_ERROR, &reason, &length);
      if (reason != 0) {
        if (reason == ECONNREFUSED) refused_[call.rank] = true;
        return drop(call);
      }
      const std::string line = std::to_string(question_.token) +
                               (question_.purpose == Purpose::report ? " report\n" : " look\n");
      send(call.socket, line.data(), line.size(), MSG_NOSIGNAL);
      call.connected = true;
      return;
    }
    std::array<char, 4096> part{};
    const ssize_t got = recv(call.socket, part.data(), part.size(), 0);
    if (got > 0) {
      call.heard.append(part.data(), static_cast<std::size_t>(got));
      return;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    understand(call);
    drop(call);
  }

  void understand(const Call& call) {
    std::optional<Snapshot> snapshot = read_snapshot(call.heard);
    // Another process may listen there by now, or another host bear the same address.
    if (!snapshot || snapshot->rank != call.rank) return;
    Answer& answer = answers_[call.rank];
    answer.state = Answer::State::answered;
    answer.snapshot = std::move(*snapshot);
    for (Call& other : calls_) {
      if (other.rank == call.rank && &other != &call) hang_up(other);
    }
  }

  void drop(Call& call) {
    const int rank = call.rank;
    hang_up(call);
    settle(rank);
  }

  /// Gone: somebody refused and no one else is left to answer.
  void settle(int rank) {
    Answer& answer = answers_[rank];
    const bool open = std::any_of(calls_.begin(), calls_.end(), [&](const Call& call) {
      return call.rank == rank && call.socket >= 0;
    });
    if (answer.state == Answer::State::silent && !open && refused_[rank]) {
      answer.state = Answer::State::gone;
    }
  }

  static void hang_up(Call& call) {
    if (call.socket >= 0) close(call.socket);
    call.socket = -1;
  }

  Question question_;
  std::vector<Call> calls_;
  std::map<int, Answer> answers_;
  std::map<int, bool> refused_;
};

}  // namespace

std::map<int, Answer> ask(const std::vector<int>& ranks,
                          const std::vector<BeaconAddress>& addresses, const Question& question,
                          const Beacon& own, const std::function<void()>& serve) {
  return Inquiry(ranks, addresses, question, own.address().host).run(own, serve);
}

}  // namespace oracle
