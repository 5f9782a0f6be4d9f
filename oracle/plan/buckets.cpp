#include "oracle/plan/buckets.h"

#include <algorithm>

namespace oracle {

void Buckets::restart(Bytes least, std::size_t gradients) {
  least_ = least;
  open_.clear();
  full_.clear();
  open_.reserve(gradients);
  full_.reserve(gradients);
}

void Buckets::add(const Gradient& gradient) {
  const AxisSet axes = gradient.axes;
  if (axes == 0 || gradient.bytes.value <= 0) return;
  auto bucket = std::find_if(open_.begin(), open_.end(),
                             [&](const Bucket& open) { return open.transfer.axes == axes; });
  if (bucket == open_.end()) {
    open_.push_back({});
    bucket = open_.end() - 1;
    bucket->transfer = {Collective::all_reduce, axes, Bytes{}, Payload::weight_gradient,
                        gradient.layer};
    bucket->gradients.first = gradient.operand;
  }
  bucket->transfer.bytes += gradient.bytes;
  bucket->transfer.layer = gradient.layer;
  bucket->ready_after = gradient.ready_after;
  bucket->gradients.count = gradient.operand + 1 - bucket->gradients.first;
  if (bucket->transfer.bytes >= least_) {
    full_.push_back(*bucket);
    open_.erase(bucket);
  }
}

std::span<const Bucket> Buckets::finish() {
  std::sort(open_.begin(), open_.end(),
            [](const Bucket& a, const Bucket& b) { return a.ready_after < b.ready_after; });
  full_.insert(full_.end(), open_.begin(), open_.end());
  open_.clear();
  return full_;
}

}  // namespace oracle
