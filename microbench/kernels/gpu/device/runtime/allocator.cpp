#include "microbench/kernels/gpu/device/runtime/allocator.h"

#include <algorithm>
#include <string>
#include <utility>

#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

/// So that vectors of a kernel's widest loads and cuBLAS find what they like.
constexpr std::int64_t kGrain = 512;

std::int64_t rounded_up(std::int64_t bytes) { return (bytes + kGrain - 1) / kGrain * kGrain; }

}  // namespace

Block::~Block() {
  if (data_ != nullptr) owner_->release(data_, bytes_, room_);
}

void Block::swap(Block& other) noexcept {
  std::swap(owner_, other.owner_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(room_, other.room_);
}

SetAside::~SetAside() {
  if (owner_ == nullptr) return;
  for (const auto& [data, room] : rooms_) owner_->keep(data, room);
}

Allocator::~Allocator() { give_back_kept(); }

Block Allocator::allocate(std::int64_t bytes) {
  if (bytes <= 0) return {};
  std::int64_t room = rounded_up(bytes);
  void* data = reuse(room);
  if (data == nullptr) data = take(room);
  if (data == nullptr) {
    throw EnvironmentError("the GPU has no " + std::to_string(bytes) + " bytes left besides the " +
                           std::to_string(now_) +
                           " in use; train with a smaller batch or on more ranks");
  }
  if (recording_) {
    touched_[data] = room;
    lent_.insert(data);
  }
  now_ += bytes;
  peak_ = std::max(peak_, now_);
  return {*this, data, bytes, room};
}

void* Allocator::take(std::int64_t room) {
  ensure(!recording_, "a recorded step does with the memory that the steps before it left");
  ++takes_;
  void* data = memory_.take(room);
  if (data != nullptr) return data;
  give_back_kept();
  return memory_.take(room);
}

/// A kept block for `room` bytes, which becomes what it has; null where none fits.
void* Allocator::reuse(std::int64_t& room) {
  const auto found = kept_.lower_bound(room);
  if (found == kept_.end() || found->first > room + room / 8) return nullptr;
  room = found->first;
  void* data = found->second.back();
  found->second.pop_back();
  if (found->second.empty()) kept_.erase(found);
  kept_bytes_ -= room;
  return data;
}

void Allocator::release(void* data, std::int64_t bytes, std::int64_t room) noexcept {
  now_ -= bytes;
  if (recording_) {
    touched_[data] = room;
    lent_.erase(data);
  }
  keep(data, room);
}

void Allocator::keep(void* data, std::int64_t room) noexcept {
  kept_bytes_ += room;
  kept_[room].push_back(data);
}

void Allocator::begin_recording() {
  ensure(!recording_, "one step is recorded at a time");
  recording_ = true;
}

SetAside Allocator::end_recording() {
  ensure(lent_.empty(), "a recorded step leaves no memory behind");
  recording_ = false;
  for (const auto& [data, room] : touched_) {
    std::erase(kept_.at(room), data);
    if (kept_.at(room).empty()) kept_.erase(room);
    kept_bytes_ -= room;
  }
  return {*this, std::exchange(touched_, {})};
}

void Allocator::abandon_recording() noexcept {
  recording_ = false;
  touched_.clear();
  lent_.clear();
}

void Allocator::give_back_kept() noexcept {
  for (const auto& [room, blocks] : kept_) {
    for (void* block : blocks) memory_.give(block);
  }
  kept_.clear();
  kept_bytes_ = 0;
}

}  // namespace oracle::gpu
