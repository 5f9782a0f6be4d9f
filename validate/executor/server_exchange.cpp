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
    parts_.write_own_gradients(*bucket_, given_);
  }
  given_.reset();
}

void ServerExchange::update() {
  for (const GradientBucket& bucket : parts_.all()) {
    if (parts_.own_part(bucket) >= 0) update(bucket);
  }
}

void ServerExchange::update(const GradientBucket& bucket) {
  std::unique_ptr<Buffer>& values = served_[&bucket];
  if (!values) values = parts_.own_weights(bucket);
  parts_.update(bucket, floats_of(values), floats_of(parts_.own_gradients(bucket)), optimizer_);
}

void ServerExchange::pull(const GradientBucket& bucket, std::vector<double>& item_bytes) {
  const std::int64_t own = parts_.own_part(bucket), count = parts_.part(bucket);
  const auto values = parts_.zeros(bucket.servers * count);
  std::vector<Peer> sends;
  if (own >= 0) {
    const std::unique_ptr<Buffer>& served = served_.at(&bucket);
    std::copy_n(floats_of(served), count, floats_of(values) + own * count);
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
