#include "microbench/comm/beacon.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "oracle/base/error.h"

namespace oracle {
namespace {

/// A caller that says nothing for longer is not one of ours.
constexpr timeval kPatienceWithCaller{0, 200000};
constexpr std::size_t kMostAddresses = 8;

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::vector<std::uint32_t> host_addresses() {
  std::vector<std::uint32_t> found;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return found;
  for (const ifaddrs* at = all; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET) continue;
    if ((at->ifa_flags & IFF_UP) == 0 || (at->ifa_flags & IFF_LOOPBACK) != 0) continue;
    sockaddr_in address{};
    std::memcpy(&address, at->ifa_addr, sizeof address);
    if (found.size() < kMostAddresses) found.push_back(address.sin_addr.s_addr);
  }
  freeifaddrs(all);
  return found;
}

std::string line_of(int socket) {
  std::string line;
  std::array<char, 64> part{};
  while (line.find('\n') == std::string::npos && line.size() < 128) {
    const ssize_t got = recv(socket, part.data(), part.size(), 0);
    if (got <= 0) break;
    line.append(part.data(), static_cast<std::size_t>(got));
  }
  return line;
}

}  // namespace

std::string to_text(const BeaconAddress& address) {
  std::ostringstream text;
  text << address.pid << " " << address.port << " " << address.hosts.size();
  for (const std::uint32_t host : address.hosts) text << " " << host;
  text << " " << address.host;
  return text.str();
}

std::optional<BeaconAddress> read_beacon_address(std::string_view text) {
  std::istringstream in{std::string(text)};
  BeaconAddress address;
  std::size_t count = 0;
  in >> address.pid >> address.port >> count;
  if (!in || count > kMostAddresses) return std::nullopt;
  address.hosts.resize(count);
  for (std::uint32_t& host : address.hosts) in >> host;
  in >> address.host;
  return in ? std::optional(address) : std::nullopt;
}

Beacon::Beacon() {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t length = sizeof any;
  auto* generic = reinterpret_cast<sockaddr*>(&any);
  if (listener_ < 0 || bind(listener_, generic, length) != 0 || listen(listener_, SOMAXCONN) != 0 ||
      getsockname(listener_, generic, &length) != 0) {
    const std::string reason = std::strerror(errno);
    if (listener_ >= 0) close(listener_);
    throw EnvironmentError("the watchdog cannot listen on a TCP port: " + reason);
  }
  address_ = {host_name(), getpid(), ntohs(any.sin_port), host_addresses()};
}

Beacon::~Beacon() { close(listener_); }

std::optional<Purpose> Beacon::answer(std::uint64_t token, const std::string& snapshot) const {
  const int caller = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (caller < 0) return std::nullopt;
  setsockopt(caller, SOL_SOCKET, SO_RCVTIMEO, &kPatienceWithCaller, sizeof kPatienceWithCaller);
  setsockopt(caller, SOL_SOCKET, SO_SNDTIMEO, &kPatienceWithCaller, sizeof kPatienceWithCaller);
  std::istringstream line(line_of(caller));
  std::uint64_t theirs = 0;
  std::string word;
  line >> theirs >> word;
  const bool ours = line && theirs == token && (word == "look" || word == "report");
  std::size_t sent = 0;
  while (ours && sent < snapshot.size()) {
    const ssize_t went = send(caller, snapshot.data() + sent, snapshot.size() - sent, MSG_NOSIGNAL);
    if (went <= 0) break;
    sent += static_cast<std::size_t>(went);
  }
  close(caller);
  if (!ours) return std::nullopt;
  return word == "report" ? Purpose::report : Purpose::look;
}

}  // namespace oracle
