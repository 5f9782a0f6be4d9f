#include "microbench/links/tiers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <sched.h>
#include <set>
#include <unistd.h>

namespace oracle {
namespace {

/// A place on its way to the other ranks: whole fp32 elements.
struct Record {
  std::array<char, 252> host{};
  std::int32_t socket = -1;
};
static_assert(sizeof(Record) % 4 == 0);

int package_of(int processor) {
  std::ifstream in("/sys/devices/system/cpu/cpu" + std::to_string(processor) +
                   "/topology/physical_package_id");
  int package = -1;
  in >> package;
  return in ? package : -1;
}

/// The packages of all processors, and of those that this rank is bound to.
int own_socket() {
  cpu_set_t bound;
  CPU_ZERO(&bound);
  if (sched_getaffinity(0, sizeof bound, &bound) != 0) return -1;
  std::set<int> all;
  std::set<int> own;
  const auto processors = static_cast<int>(sysconf(_SC_NPROCESSORS_CONF));
  for (int processor = 0; processor < std::min(processors, CPU_SETSIZE); ++processor) {
    const int package = package_of(processor);
    all.insert(package);
    if (CPU_ISSET(static_cast<std::size_t>(processor), &bound)) own.insert(package);
  }
  return all.size() > 1 && own.size() == 1 ? *own.begin() : -1;
}

}  // namespace

LinkPlace own_place() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return {name.data(), own_socket()};
}

std::vector<LinkPlace> all_places(Communicator& communicator, const MakeBuffer& make_buffer,
                                  GroupId world, const LinkPlace& own) {
  Record mine;
  own.host.copy(mine.host.data(), mine.host.size() - 1);
  mine.socket = own.socket;
  std::vector<Record> records(static_cast<std::size_t>(communicator.size()));
  gather_everywhere(communicator, make_buffer, world, &mine, sizeof mine, records.data(), "places");
  std::vector<LinkPlace> places;
  for (const Record& record : records) places.push_back({record.host.data(), record.socket});
  return places;
}

std::string_view tier_of(std::span<const LinkPlace> places, std::span<const int> ranks) {
  const auto place = [&](int rank) -> const LinkPlace& {
    return places[static_cast<std::size_t>(rank)];
  };
  const LinkPlace& first = place(ranks.front());
  const bool one_host = std::all_of(ranks.begin(), ranks.end(),
                                    [&](int rank) { return place(rank).host == first.host; });
  if (!one_host) return "network";
  const bool one_socket = first.socket >= 0 &&
                          std::all_of(ranks.begin(), ranks.end(),
                                      [&](int rank) { return place(rank).socket == first.socket; });
  return one_socket ? "socket" : "machine";
}

}  // namespace oracle
