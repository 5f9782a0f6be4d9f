#include "microbench/links/sweep.h"

#include <algorithm>
#include <array>
#include <map>

namespace oracle {
namespace {

using Groups = std::vector<std::vector<int>>;

constexpr std::array<LinkAction, 4> kCollectives = {LinkAction::all_reduce,
                                                    LinkAction::reduce_scatter,
                                                    LinkAction::all_gather, LinkAction::all_to_all};
constexpr std::array<LinkAction, 2> kMessages = {LinkAction::message, LinkAction::stream};

/// Like groups. So many neighbours in the list share a link, and the next ones another.
struct GroupShape {
  Groups groups;
  int per_unit = 1;
  int flows = 1;
};

/// The ranks of each host, hosts in the order of their first rank.
Groups by_host(std::span<const LinkPlace> places) {
  Groups hosts;
  std::map<std::string, std::size_t> index;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const auto [at, fresh] = index.emplace(places[rank].host, hosts.size());
    if (fresh) hosts.emplace_back();
    hosts[at->second].push_back(static_cast<int>(rank));
  }
  return hosts;
}

/// Neighbours within the first host, in groups of `size`.
Groups blocks(const std::vector<int>& host, std::size_t size) {
  Groups groups;
  for (std::size_t first = 0; first + size <= host.size(); first += size) {
    groups.emplace_back(host.begin() + static_cast<std::ptrdiff_t>(first),
                        host.begin() + static_cast<std::ptrdiff_t>(first + size));
  }
  return groups;
}

/// One rank of each of `count` hosts, for as many places as every host has; then the same of the
/// next hosts.
GroupShape across(const Groups& hosts, std::size_t count) {
  std::size_t places = hosts.front().size();
  for (const std::vector<int>& host : hosts) places = std::min(places, host.size());
  GroupShape shape{{}, 1, static_cast<int>(places)};
  for (std::size_t first = 0; first + count <= hosts.size(); first += count) {
    for (std::size_t place = 0; place < places; ++place) {
      std::vector<int>& group = shape.groups.emplace_back();
      for (std::size_t h = first; h < first + count; ++h) group.push_back(hosts[h][place]);
    }
  }
  return shape;
}

std::vector<GroupShape> shapes_of(const Groups& hosts) {
  std::vector<GroupShape> shapes;
  const std::vector<int>& first = hosts.front();
  for (std::size_t size = 2; size <= first.size(); ++size) {
    if (first.size() % size != 0) continue;
    shapes.push_back({blocks(first, size), 1, static_cast<int>(first.size() / size)});
  }
  for (std::size_t count = 2; count <= hosts.size(); ++count) {
    if (hosts.size() % count == 0) shapes.push_back(across(hosts, count));
  }
  const bool alike = std::all_of(hosts.begin(), hosts.end(), [&](const std::vector<int>& host) {
    return host.size() == first.size();
  });
  if (alike && hosts.size() > 1 && first.size() > 1) {
    std::vector<int> all;
    for (const std::vector<int>& host : hosts) all.insert(all.end(), host.begin(), host.end());
    shapes.push_back({{all}, static_cast<int>(first.size()), 1});
  }
  return shapes;
}

/// One of those that share a link.
Groups alone(const GroupShape& shape) {
  Groups groups;
  for (std::size_t g = 0; g < shape.groups.size(); g += static_cast<std::size_t>(shape.flows)) {
    groups.push_back(shape.groups[g]);
  }
  return groups;
}

void add_cases(const GroupShape& shape, std::span<const LinkPlace> places,
               std::span<const LinkAction> actions, std::vector<LinkCase>& cases) {
  const std::string tier(tier_of(places, shape.groups.front()));
  for (const LinkAction action : actions) {
    cases.push_back({tier, action, alone(shape), shape.per_unit, 1});
    if (shape.flows > 1) {
      cases.push_back({tier, action, shape.groups, shape.per_unit, shape.flows});
    }
  }
}

}  // namespace

std::string_view name_of(LinkAction action) {
  constexpr std::array<std::string_view, 6> kNames = {"message",        "stream",     "all_reduce",
                                                      "reduce_scatter", "all_gather", "all_to_all"};
  return kNames[static_cast<std::size_t>(action)];
}

std::vector<LinkCase> link_cases(std::span<const LinkPlace> places) {
  std::vector<LinkCase> cases;
  for (const GroupShape& shape : shapes_of(by_host(places))) {
    if (shape.groups.front().size() == 2 && shape.per_unit == 1) {
      add_cases(shape, places, kMessages, cases);
    }
    add_cases(shape, places, kCollectives, cases);
  }
  return cases;
}

std::vector<std::int64_t> sweep_sizes(std::int64_t largest, int factor) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t bytes = 4; bytes <= largest; bytes *= factor) sizes.push_back(bytes);
  return sizes;
}

}  // namespace oracle
