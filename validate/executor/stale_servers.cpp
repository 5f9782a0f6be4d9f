#include "validate/executor/stale_servers.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "oracle/base/error.h"

namespace oracle {
namespace {

/// Between two looks at what has arrived, while there is nothing else to do.
constexpr std::chrono::microseconds kNap{20};

}  // namespace

StaleServers::StaleServers(const Program& program, const TrainedLayers& trained, Backend& backend,
                           Communicator& communicator, const RankGroups& groups, std::int64_t bound,
                           std::int64_t steps)
    : parts_(program, trained, backend, communicator, groups),
      communicator_(communicator),
      bound_(bound),
      steps_(steps) {
  ensure(steps > 0, "servers that do not wait know how many steps there are");
  if (parts_.all().empty()) return;
  const GradientBucket& first = parts_.all().front();
  const RankGroup& group = parts_.group(first);
  pushes_ = group.id;
  pulls_ = communicator.make_group(group.ranks);
  own_ = static_cast<std::size_t>(parts_.own_place(first));
  const auto clients = static_cast<std::size_t>(group.size);
  next_gradient_.assign(clients, 0);
  next_answer_.assign(clients, 0);
  if (parts_.own_part(first) < 0) return;
  for (const GradientBucket& bucket : parts_.all()) {
    Served& served = served_.emplace_back();
    served.bucket = &bucket;
    served.values = parts_.own_weights(bucket);
    served.clients.resize(clients);
    for (std::size_t c = 0; c < clients; ++c) expect(served, c);
  }
}

void StaleServers::expect(Served& served, std::size_t c) {
  Client& client = served.clients[c];
  if (c == own_ || client.gradients == steps_) return;
  const std::int64_t count = parts_.part(*served.bucket);
  if (!client.gradient) client.gradient = parts_.zeros(count);
  const Peer peer{static_cast<int>(c), client.gradient->data(), count};
  client.arriving = communicator_.start_group_messages(pushes_, {}, {&peer, 1}, Element::fp32,
                                                       "push of gradients");
  client.expected = true;
}

void StaleServers::take(Served& served, std::size_t c, const float* gradient) {
  Client& client = served.clients[c];
  const std::int64_t stale = served.version - client.version;
  ++staleness_.gradients;
  staleness_.sum += stale;
  staleness_.most = std::max(staleness_.most, stale);
  parts_.update(*served.bucket, floats_of(served.values), gradient, optimizer_);
  ++served.version;
  ++client.gradients;
  client.asks = true;
}

bool StaleServers::may_go_on(const Served& served, const Client& client) const {
  const auto slowest = std::min_element(
      served.clients.begin(), served.clients.end(),
      [](const Client& one, const Client& other) { return one.gradients < other.gradients; });
  return client.gradients - slowest->gradients <= bound_;
}

void StaleServers::answer(Served& served, std::size_t c) {
  Client& client = served.clients[c];
  client.asks = false;
  const std::int64_t count = parts_.part(*served.bucket);
  if (!client.weights) client.weights = parts_.zeros(count);
  if (client.sends) communicator_.wait(client.leaving);
  std::copy_n(floats_of(served.values), count, floats_of(client.weights));
  client.version = served.version;
  if (c == own_) return;
  const Peer peer{static_cast<int>(c), client.weights->data(), count};
  client.leaving =
      communicator_.start_group_messages(pulls_, {&peer, 1}, {}, Element::fp32, "pull of weights");
  client.sends = true;
  served.sent += parts_.part_bytes(*served.bucket);
}

void StaleServers::keep_up() {
  if (served_.empty()) return;
  for (std::size_t c = 0; c < next_gradient_.size(); ++c) {
    while (true) {
      Served& served = served_[next_gradient_[c]];
      Client& client = served.clients[c];
      if (!client.expected || !communicator_.done(client.arriving)) break;
      communicator_.wait(client.arriving);
      client.expected = false;
      take(served, c, floats_of(client.gradient));
      expect(served, c);
      next_gradient_[c] = (next_gradient_[c] + 1) % served_.size();
    }
  }
  for (std::size_t c = 0; c < next_answer_.size(); ++c) {
    while (true) {
      Served& served = served_[next_answer_[c]];
      if (!served.clients[c].asks || !may_go_on(served, served.clients[c])) break;
      answer(served, c);
      next_answer_[c] = (next_answer_[c] + 1) % served_.size();
    }
  }
}

void StaleServers::begin_step(const OptimizerStep& optimizer) {
  optimizer_ = optimizer;
  ++step_;
}

Interval StaleServers::held(LayerId, std::size_t) const { return {0, 0}; }

void StaleServers::count_bytes(const GradientBucket& bucket,
                               std::vector<double>& item_bytes) const {
  const std::int64_t others = bucket.servers - (served_.empty() ? 0 : 1);
  item_bytes[bucket.item] += static_cast<double>(others * parts_.part_bytes(bucket));
}

void StaleServers::start(const GradientBucket& bucket) {
  bucket_ = &bucket;
  next_ = 0;
  given_ = parts_.gradients(bucket);
  ticket_ = communicator_.start_group_messages(pushes_, parts_.servers(bucket, floats_of(given_)),
                                               {}, Element::fp32, "push of gradients");
}

/// A rank's own part is with its server at once.
bool StaleServers::proceed() {
  if (next_++ == 0) {
    communicator_.wait(ticket_);
    return false;
  }
  for (Served& served : served_) {
    if (served.bucket != bucket_) continue;
    take(served, own_, floats_of(given_) + parts_.own_part(*bucket_) * parts_.part(*bucket_));
  }
  given_.reset();
  keep_up();
  return true;
}

void StaleServers::wait_while_serving(Ticket ticket) {
  while (!communicator_.done(ticket)) {
    keep_up();
    std::this_thread::sleep_for(kNap);
  }
  communicator_.wait(ticket);
}

bool StaleServers::all_are_done() const {
  return std::all_of(served_.begin(), served_.end(), [&](const Served& served) {
    return std::all_of(served.clients.begin(), served.clients.end(), [&](const Client& client) {
      return client.gradients == steps_ && !client.asks;
    });
  });
}

void StaleServers::pull(const GradientBucket& bucket, std::vector<double>& item_bytes) {
  const auto values = parts_.zeros(bucket.servers * parts_.part(bucket));
  wait_while_serving(communicator_.start_group_messages(
      pulls_, {}, parts_.servers(bucket, floats_of(values)), Element::fp32, "pull of weights"));
  for (Served& served : served_) {
    if (served.bucket != &bucket) continue;
    Client& own = served.clients[own_];
    while (own.asks) {
      keep_up();
      std::this_thread::sleep_for(kNap);
    }
    std::copy_n(floats_of(own.weights), parts_.part(bucket),
                floats_of(values) + parts_.own_part(bucket) * parts_.part(bucket));
  }
  parts_.write_weights(bucket, values);
  if (&bucket != &parts_.all().back()) return;
  while (step_ == steps_ && !all_are_done()) {
    keep_up();
    std::this_thread::sleep_for(kNap);
  }
  for (Served& served : served_) {
    for (Client& client : served.clients) {
      if (step_ == steps_ && client.sends) communicator_.wait(client.leaving);
    }
    item_bytes[served.bucket->pull_item] += static_cast<double>(served.sent);
    served.sent = 0;
  }
}

}  // namespace oracle
