#include "microbench/kernels/arena.h"

#include <iterator>

namespace oracle {
namespace {

std::int64_t whole_units(std::int64_t bytes) {
  return (bytes + Arena::kUnit - 1) / Arena::kUnit * Arena::kUnit;
}

}  // namespace

void Arena::insert(std::byte* place, std::int64_t bytes) {
  by_address_.emplace(place, bytes);
  by_size_.emplace(bytes, place);
}

void Arena::erase(std::map<std::byte*, std::int64_t>::iterator place) {
  by_size_.erase({place->second, place->first});
  by_address_.erase(place);
}

void* Arena::take(std::int64_t bytes) {
  const std::int64_t wanted = whole_units(bytes);
  const auto found = by_size_.lower_bound({wanted, nullptr});
  if (found == by_size_.end()) return nullptr;
  const auto [size, place] = *found;
  erase(by_address_.find(place));
  if (size > wanted) insert(place + wanted, size - wanted);
  return place;
}

void Arena::give(void* given, std::int64_t bytes) {
  auto* place = static_cast<std::byte*>(given);
  std::int64_t size = whole_units(bytes);
  const auto next = by_address_.lower_bound(place);
  if (next != by_address_.end() && place + size == next->first) {
    size += next->second;
    erase(next);
  }
  // The one before, looked up again: the erasure may have ended the iterator.
  auto before = by_address_.lower_bound(place);
  if (before != by_address_.begin() &&
      std::prev(before)->first + std::prev(before)->second == place) {
    before = std::prev(before);
    place = before->first;
    size += before->second;
    erase(before);
  }
  insert(place, size);
}

}  // namespace oracle
