#pragma once
// What is done to the gradients of a bucket that travels compressed, between its messages?
//
// Each step of oracle/plan/exchanges/compressed_bucket.h, on one rank. Who calls them passes the
// messages on (validate/executor/compressed_exchange.h), or takes their time
// (microbench/compute/compression_bench.h). What was left out of a bucket is kept for the next step
// of training, in the order in which its gradients are packed; where ranks sum parts, the rest of
// such a sum as well.
//                               tests/microbench/compression/compressed_gradients_test.cpp

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "microbench/compression/codec.h"
#include "microbench/kernels/backend.h"
#include "oracle/plan/exchanges/gradient_exchange.h"
#include "oracle/plan/plan.h"

namespace oracle {

class CompressedGradients {
 public:
  /// Of a parameter of a layer.
  struct Gradient {
    Weights* weights = nullptr;
    std::size_t index = 0;
  };
  /// The rank's place among those that exchange.
  struct Place {
    std::int64_t rank = 0, ranks = 1;
  };

  /// Of `elements`, at least as many as the gradients have. The back end keeps state in shards and
  /// outlives it, as the weights do.
  CompressedGradients(const ChosenExchange& exchange, std::vector<Gradient> gradients,
                      std::int64_t elements, Place place, Backend& backend);

  /// Bytes of a message to one rank, and of the values that a sum of sketches finds.
  std::int64_t packed() const;
  std::int64_t chosen_bytes() const;
  Element element() const { return codec_.element; }
  bool merges() const { return codec_.merge != nullptr; }
  bool finds() const { return codec_.places != nullptr; }

  void take(CompressionStep step);

  /// What is to be sent, and room for what arrives where that is not the same place.
  Buffer& given() { return *given_; }
  Buffer& make_room(std::int64_t bytes);
  /// The message that was sent has arrived.
  void arrive();

  /// Out of all caches, as after a step of training.
  void evict();

  /// Puts what was left out into the order in which gradients are packed now; so far it was their
  /// own. What was left of a sum is this rank's to send from now on.
  void pack_as_kept();

 private:
  using Floats = std::span<float>;

  bool scatters() const { return exchange_.row->route == ExchangeRoute::scatter_gather; }
  /// Whether each value is rounded to an element by itself.
  bool rounds() const { return codec_.compress == nullptr; }
  /// How many messages a rank compresses.
  std::int64_t pieces() const { return scatters() ? place_.ranks : 1; }
  std::int64_t part() const;
  /// The values of a piece, of which the last ones may have fewer.
  Floats piece(Floats values, std::int64_t number) const;
  std::unique_ptr<Buffer> zeros(std::int64_t bytes) const;

  void round();
  void widen();
  void compress();
  void add_to_unsent();
  void merge();
  void choose();
  void reduce();
  void restore();
  void write_arrived(Floats values);
  void take_back();

  ChosenExchange exchange_;
  const Codec& codec_;
  std::vector<Gradient> gradients_;
  std::int64_t elements_;
  Place place_;
  Backend& backend_;
  std::unique_ptr<Buffer> unsent_, unsent_sum_;  ///< of the gradients, and of the sum of a part
  std::unique_ptr<Buffer> given_, arrived_, sent_;
  std::vector<std::uint32_t> places_;
};

}  // namespace oracle
