#include "validate/executor/served_buckets.h"

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/plan/exchanges/compressed_bucket.h"
#include "oracle/plan/exchanges/servers.h"
#include "validate/executor/bucket_values.h"

namespace oracle {
namespace {

/// Nothing where there is no buffer.
float* behind(float* begin, std::int64_t count) {
  return begin == nullptr ? nullptr : begin + count;
}

/// Of `all` values from place `begin` of a bucket on those in the part of `count` from `first` on.
Interval in_part(std::int64_t first, std::int64_t count, std::int64_t begin, std::int64_t all) {
  return {std::clamp<std::int64_t>(first - begin, 0, all),
          std::clamp<std::int64_t>(first + count - begin, 0, all)};
}

}  // namespace

ServedBuckets::ServedBuckets(const Program& program, const TrainedLayers& trained, Backend& backend,
                             Communicator& communicator, const RankGroups& groups)
    : program_(program),
      trained_(trained),
      backend_(backend),
      communicator_(communicator),
      groups_(groups) {
  if (!backend.shards_state() || backend.element() != Element::fp32) {
    throw InputError("--strategy",
                     "the back end \"" + std::string(backend.name()) + "\" has no servers of " +
                         element_name(backend.element()) + " values",
                     "leave out exchange=servers");
  }
  for (const GradientBucket& bucket : program.buckets) {
    std::int64_t begin = 0;
    for (const LayerId id : bucket.layers) {
      places_[trained.owner(id)] = {&bucket, begin};
      begin += trained.elements(id);
    }
  }
}

std::int64_t ServedBuckets::part(const GradientBucket& bucket) const {
  return part_of(elements_of(bucket.layers, trained_, bucket.elements), bucket.servers);
}

std::int64_t ServedBuckets::part_bytes(const GradientBucket& bucket) const {
  return part(bucket) * kFloatBytes;
}

std::int64_t ServedBuckets::own_place(const GradientBucket& bucket) const {
  return group(bucket).place_of(communicator_.rank());
}

std::int64_t ServedBuckets::own_part(const GradientBucket& bucket) const {
  const std::int64_t own = own_place(bucket);
  for (std::int64_t number = 0; number < bucket.servers; ++number) {
    if (place_of_server(number, bucket.servers, group(bucket).size) == own) return number;
  }
  return -1;
}

std::vector<Peer> ServedBuckets::servers(const GradientBucket& bucket, float* begin) const {
  std::vector<Peer> peers;
  const std::int64_t own = own_part(bucket), count = part(bucket);
  for (std::int64_t number = 0; number < bucket.servers; ++number) {
    const std::int64_t server = place_of_server(number, bucket.servers, group(bucket).size);
    if (number != own)
      peers.push_back({static_cast<int>(server), behind(begin, number * count), count});
  }
  return peers;
}

std::vector<Peer> ServedBuckets::others(const GradientBucket& bucket, float* begin) const {
  std::vector<Peer> peers;
  const std::int64_t own = own_place(bucket), count = part(bucket);
  for (std::int64_t member = 0; member < group(bucket).size; ++member) {
    if (member == own) continue;
    peers.push_back({static_cast<int>(member), begin, count});
    begin = behind(begin, count);
  }
  return peers;
}

Interval ServedBuckets::own(LayerId id, std::size_t parameter) const {
  const Place& place = places_.at(trained_.owner(id));
  const std::int64_t number = own_part(*place.bucket), count = part(*place.bucket);
  if (number < 0) return {0, 0};
  const Weights& weights = *trained_.find(id);
  std::int64_t begin = place.begin;
  for (std::size_t i = 0; i < parameter; ++i) begin += weights.elements(i);
  return in_part(number * count, count, begin, weights.elements(parameter));
}

std::unique_ptr<Buffer> ServedBuckets::zeros(std::int64_t count) const {
  auto made = backend_.buffer(count * kFloatBytes);
  made->zero(0, made->bytes());
  return made;
}

std::unique_ptr<Buffer> ServedBuckets::gradients(const GradientBucket& bucket) const {
  auto made = zeros(part(bucket) * bucket.servers);
  for_each_parameter(
      bucket.layers, trained_, floats_of(made),
      [](const Weights& weights, std::size_t i, float* to) { weights.read_gradient(i, to); });
  return made;
}

template <typename Visit>
void ServedBuckets::for_each_own(const GradientBucket& bucket, Visit visit) const {
  const std::int64_t count = part(bucket), first = own_part(bucket) * count;
  for_each_parameter(bucket.layers, trained_, std::int64_t{0},
                     [&](Weights& weights, std::size_t i, std::int64_t begin) {
                       const Interval own = in_part(first, count, begin, weights.elements(i));
                       if (own.size() > 0) visit(weights, i, own, begin + own.begin - first);
                     });
}

template <typename Read>
std::unique_ptr<Buffer> ServedBuckets::own_values(const GradientBucket& bucket, Read read) const {
  auto made = zeros(part(bucket));
  std::vector<float> whole;
  for_each_own(bucket, [&](const Weights& weights, std::size_t i, Interval own, std::int64_t to) {
    whole.resize(static_cast<std::size_t>(weights.elements(i)));
    read(weights, i, whole.data());
    std::copy_n(whole.data() + own.begin, own.size(), floats_of(made) + to);
  });
  return made;
}

std::unique_ptr<Buffer> ServedBuckets::own_weights(const GradientBucket& bucket) const {
  return own_values(bucket,
                    [](const Weights& weights, std::size_t i, float* to) { weights.read(i, to); });
}

std::unique_ptr<Buffer> ServedBuckets::own_gradients(const GradientBucket& bucket) const {
  return own_values(bucket, [](const Weights& weights, std::size_t i, float* to) {
    weights.read_gradient(i, to);
  });
}

void ServedBuckets::write_weights(const GradientBucket& bucket,
                                  const std::unique_ptr<Buffer>& from) const {
  for_each_parameter(
      bucket.layers, trained_, floats_of(from),
      [](Weights& weights, std::size_t i, const float* values) { weights.write(i, values); });
}

void ServedBuckets::write_own_gradients(const GradientBucket& bucket,
                                        const std::unique_ptr<Buffer>& from) const {
  const float* values = floats_of(from) + own_part(bucket) * part(bucket);
  for_each_own(bucket, [&](Weights& weights, std::size_t i, Interval own, std::int64_t at) {
    weights.write_gradient(i, values + at - own.begin);
  });
}

void ServedBuckets::update(const GradientBucket& bucket, float* values, const float* gradient,
                           const OptimizerStep& step) {
  const std::int64_t count = part(bucket);
  const bool adam = step.second_moment > 0;
  Moments& moments = moments_[&bucket];
  if ((adam || step.momentum > 0) && !moments.first) moments.first = zeros(count);
  if (adam && !moments.second) moments.second = zeros(count);
  backend_.update({values, gradient, floats_of(moments.first), floats_of(moments.second), count},
                  step);
}

}  // namespace oracle
