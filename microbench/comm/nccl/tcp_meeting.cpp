#include "microbench/comm/nccl/tcp_meeting.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr std::uint64_t kGreeting = 0x6f7261636c652d31;  // "oracle-1"
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28;
constexpr int kMostRanks = 1 << 20;
constexpr std::chrono::milliseconds kTryAgain{50};
/// For a stranger to say who it is.
constexpr timeval kGreetingLimit{2, 0};

std::string reason() { return std::strerror(errno); }

/// A connection, closed when it is destroyed.
class Socket {
 public:
  explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int descriptor() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }

  void send(const void* data, std::size_t bytes) const {
    const auto* at = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t sent = ::send(descriptor_, at, bytes, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) throw EnvironmentError("a rank's connection broke: " + reason());
      at += sent;
      bytes -= static_cast<std::size_t>(sent);
    }
  }
  /// False where the other side ended or was silent too long.
  bool receive(void* data, std::size_t bytes) const {
    auto* at = static_cast<char*>(data);
    while (bytes > 0) {
      const ssize_t got = ::recv(descriptor_, at, bytes, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      bytes -= static_cast<std::size_t>(got);
    }
    return true;
  }

 private:
  int descriptor_;
};

struct Addresses {
  addrinfo* first = nullptr;
  ~Addresses() {
    if (first != nullptr) freeaddrinfo(first);
  }
};

void look_up(const TcpPlace& place, bool listens, Addresses& found) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = listens ? AI_PASSIVE : 0;
  const std::string port = std::to_string(place.port);
  const int code =
      getaddrinfo(listens ? nullptr : place.host.c_str(), port.c_str(), &wanted, &found.first);
  if (code != 0) {
    throw EnvironmentError("MASTER_ADDR " + place.host + ": " + gai_strerror(code));
  }
}

Socket listening(const TcpPlace& place) {
  Addresses found;
  look_up(place, true, found);
  std::string why;
  for (const addrinfo* at = found.first; at != nullptr; at = at->ai_next) {
    Socket socket(::socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol));
    const int yes = 1;
    setsockopt(socket.descriptor(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(socket.descriptor(), at->ai_addr, at->ai_addrlen) == 0 &&
        listen(socket.descriptor(), SOMAXCONN) == 0) {
      return socket;
    }
    why = reason();
  }
  throw EnvironmentError("rank 0 cannot listen on MASTER_PORT " + std::to_string(place.port) +
                         ": " + why + "; choose another port");
}

Socket connected(const TcpPlace& place) {
  Addresses found;
  look_up(place, false, found);
  // Until rank 0 listens; the watchdog ends what lasts too long.
  while (true) {
    for (const addrinfo* at = found.first; at != nullptr; at = at->ai_next) {
      Socket socket(::socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol));
      if (connect(socket.descriptor(), at->ai_addr, at->ai_addrlen) == 0) return socket;
    }
    std::this_thread::sleep_for(kTryAgain);
  }
}

void send_text(const Socket& socket, std::string_view text) {
  const std::uint64_t bytes = text.size();
  socket.send(&bytes, sizeof bytes);
  socket.send(text.data(), text.size());
}

std::string receive_text(const Socket& socket, const std::string& from) {
  std::uint64_t bytes = 0;
  if (!socket.receive(&bytes, sizeof bytes)) throw EnvironmentError(from + " is gone");
  if (bytes > kMostBytes) throw EnvironmentError(from + " sends what is not text of ours");
  std::string text(bytes, '\0');
  if (!socket.receive(text.data(), text.size())) throw EnvironmentError(from + " is gone");
  return text;
}

class TcpMeeting final : public Meeting {
 public:
  explicit TcpMeeting(TcpPlace place)
      : place_(std::move(place)), came_(static_cast<std::size_t>(place_.size)) {}

  int rank_before_open() const override { return place_.rank; }
  std::string missing_before_open() const override {
    if (place_.rank != 0) {
      return "rank 0 does not listen at " + place_.host + ":" + std::to_string(place_.port);
    }
    std::string missing;
    for (std::size_t rank = 1; rank < came_.size(); ++rank) {
      if (!came_[rank]) missing += " " + std::to_string(rank);
    }
    return missing.empty() ? "" : "not come: rank" + missing;
  }

  void open() override {
    if (place_.rank == 0) return accept_others();
    server_ = connected(place_);
    set_no_delay(server_);
    const std::array<std::uint64_t, 3> greeting = {kGreeting,
                                                   static_cast<std::uint64_t>(place_.rank),
                                                   static_cast<std::uint64_t>(place_.size)};
    server_.send(greeting.data(), sizeof greeting);
    // Rank 0 answers once all have come.
    if (receive_text(server_, "rank 0") != "come") {
      throw EnvironmentError("rank 0 at MASTER_ADDR counts another WORLD_SIZE, or has a rank " +
                             std::to_string(place_.rank) + " already");
    }
  }

  std::string library() const override { return "TCP"; }
  int rank() const override { return place_.rank; }
  int size() const override { return place_.size; }

  std::vector<std::string> share(std::string_view text) override {
    std::vector<std::string> texts;
    if (place_.rank != 0) {
      send_text(server_, text);
      for (int i = 0; i < place_.size; ++i) texts.push_back(receive_text(server_, "rank 0"));
      return texts;
    }
    texts.emplace_back(text);
    for (std::size_t rank = 1; rank < others_.size(); ++rank) {
      texts.push_back(receive_text(others_[rank], "rank " + std::to_string(rank)));
    }
    for (std::size_t rank = 1; rank < others_.size(); ++rank) {
      for (const std::string& one : texts) send_text(others_[rank], one);
    }
    return texts;
  }

  void close() override {
    server_ = Socket();
    others_.clear();
  }

 private:
  static void set_no_delay(const Socket& socket) {
    const int yes = 1;
    setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }

  void accept_others() {
    others_.resize(static_cast<std::size_t>(place_.size));
    if (place_.size == 1) return;
    const Socket listener = listening(place_);
    int missing = place_.size - 1;
    while (missing > 0) {
      Socket socket(accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!socket.is_open()) continue;
      if (welcome(std::move(socket))) --missing;
    }
    for (std::size_t rank = 1; rank < others_.size(); ++rank) send_text(others_[rank], "come");
  }

  /// False where it is no rank of this job, or one that is here already.
  bool welcome(Socket socket) {
    std::array<std::uint64_t, 3> greeting{};
    setsockopt(socket.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &kGreetingLimit,
               sizeof kGreetingLimit);
    if (!socket.receive(greeting.data(), sizeof greeting) || greeting[0] != kGreeting) return false;
    const timeval forever{};
    setsockopt(socket.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever);
    const std::uint64_t rank = greeting[1];
    const bool ours = greeting[2] == others_.size() && rank > 0 && rank < others_.size();
    if (!ours || others_[rank].is_open()) {
      send_text(socket, "not ours");
      return false;
    }
    set_no_delay(socket);
    others_[rank] = std::move(socket);
    came_[rank] = true;
    return true;
  }

  TcpPlace place_;
  std::vector<std::atomic<bool>> came_;  ///< asked for by the watchdog's thread
  Socket server_;                        ///< of rank 0's connection, elsewhere
  std::vector<Socket> others_;           ///< by rank, on rank 0
};

}  // namespace

std::optional<TcpPlace> tcp_place(const Environment& environment) {
  const auto rank = number_in(environment, "RANK", 0, kMostRanks - 1);
  if (!rank) return std::nullopt;
  const auto size = number_in(environment, "WORLD_SIZE", 1, kMostRanks);
  const auto port = number_in(environment, "MASTER_PORT", 1, 65534);
  const auto host = environment("MASTER_ADDR");
  if (!size || !port || !host) {
    throw EnvironmentError(
        "RANK is set, and of WORLD_SIZE, MASTER_ADDR and MASTER_PORT one is "
        "not; a launcher such as torchrun sets all four");
  }
  if (*rank >= *size) {
    throw EnvironmentError("RANK is " + std::to_string(*rank) + ", and WORLD_SIZE is " +
                           std::to_string(*size));
  }
  const bool taken = environment("TORCHELASTIC_USE_AGENT_STORE").value_or("") == "True";
  return TcpPlace{*rank, *size, *host, *port + (taken ? 1 : 0)};
}

std::unique_ptr<Meeting> make_tcp_meeting(const TcpPlace& place) {
  return std::make_unique<TcpMeeting>(place);
}

}  // namespace oracle
