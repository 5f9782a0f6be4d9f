#include "validate/executor/server_exchange.h"

#include <algorithm>

namespace oracle {

void ServerExchange::count_bytes(const GradientBucket& bucket,
                                 std::vector<double>& item_bytes) const {
  const std::int64_t others = bucket.servers - (parts_.own_part(bucket) < 0 ? 0 : 1);
  item_bytes[bucket.item] += static_cast<double>(others * parts_.part_bytes(bucket));
}

void ServerExchange::start(const GradientBucket& bucket) {
  bucket_ = &bucket;
  next_ = 0;
  given_ = parts_.gradients(bucket);
  std::vector<Peer> receives;
  if (parts_.own_part(bucket) >= 0) {
    arrived_ = parts_.zeros((parts_.group(bucket).size - 1) * parts_.part(bucket));
    receives = parts_.others(bucket, floats_of(arrived_));
  }
  ticket_ = communicator_.start_group_messages(parts_.group(bucket).id,
                                               parts_.servers(bucket, floats_of(given_)), receives,
                                               Element::fp32, "push of gradients");
}

bool ServerExchange::proceed() {
  if (next_++ == 0) {
    communicator_.wait(ticket_);
    return false;
  }
  add_up();
  return true;
}

void ServerExchange::add_up() {
  const std::int64_t own = parts_.own_part(*bucket_), count = parts_.part(*bucket_);
  if (own >= 0) {
    float* sum = floats_of(given_) + own * count;
    const float* next = floats_of(arrived_);
    for (; next != floats_of(arrived_) + arrived_->bytes() / kFloatBytes; next += count) {
      for (std::int64_t i = 0; i < count; ++i) sum[i] += next[i];
    }
    arrived_.reset();
    parts_.write_gradients(*bucket_, given_);
  }
  given_.reset();
}

void ServerExchange::update() {
  for (const GradientBucket& bucket : parts_.all()) {
    if (parts_.own_part(bucket) >= 0) update(bucket);
  }
}

void ServerExchange::update(const GradientBucket& bucket) {
  const std::int64_t count = parts_.part(bucket), begin = parts_.own_part(bucket) * count;
  const auto gradient = parts_.zeros(count);
  std::copy_n(floats_of(parts_.gradients(bucket)) + begin, count, floats_of(gradient));
  const auto values = parts_.weights(bucket);
  parts_.update(bucket, floats_of(values) + begin, floats_of(gradient), optimizer_);
  parts_.write_weights(bucket, values);
}

void ServerExchange::pull(const GradientBucket& bucket, std::vector<double>& item_bytes) {
  const std::int64_t own = parts_.own_part(bucket), count = parts_.part(bucket);
  const auto values = parts_.weights(bucket);
  std::unique_ptr<Buffer> served;
  std::vector<Peer> sends;
  if (own >= 0) {
    served = parts_.zeros(count);
    std::copy_n(floats_of(values) + own * count, count, floats_of(served));
    sends = parts_.others(bucket, nullptr);
    for (Peer& peer : sends) peer.data = served->data();
  }
  communicator_.wait(communicator_.start_group_messages(parts_.group(bucket).id, sends,
                                                        parts_.servers(bucket, floats_of(values)),
                                                        Element::fp32, "pull of weights"));
  parts_.write_weights(bucket, values);
  item_bytes[bucket.pull_item] +=
      static_cast<double>(static_cast<std::int64_t>(sends.size()) * parts_.part_bytes(bucket));
}

}  // namespace oracle
