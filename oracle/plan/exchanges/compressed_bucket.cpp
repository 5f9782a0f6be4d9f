#include "oracle/plan/exchanges/compressed_bucket.h"

#include <cmath>

#include "oracle/plan/exchanges/sparse.h"

namespace oracle {
namespace {

constexpr double kFp32 = 4;

double as_double(std::int64_t count) { return static_cast<double>(count); }

}  // namespace

CompressedBucket::CompressedBucket(const ChosenExchange& exchange, const Transfer& sum,
                                   int value_bytes, std::int64_t ranks)
    : exchange_(exchange.row->name),
      sum_(sum),
      elements_(static_cast<std::int64_t>(sum.bytes.value) / value_bytes) {
  const GradientExchange& row = *exchange.row;
  const bool scatters = row.route == ExchangeRoute::scatter_gather;
  const double n = as_double(elements_), p = as_double(ranks);
  const std::int64_t part = scatters ? part_of(elements_, ranks) : elements_;
  const double packed = as_double(exchange.packed(part));
  const double parts = scatters ? p : 1;
  const double left_out = row.feedback ? kFp32 * parts * as_double(part) : 0;
  const double sum_left_out = row.feedback && scatters ? kFp32 * as_double(part) : 0;

  const double read = n * value_bytes, sent = parts * packed;
  // Added to what was left out, which is then read to select, or once, and what is left is written.
  const double again = row.selecting > 0 ? row.selecting * kFp32 * n : 2 * left_out;
  const double kept = row.route == ExchangeRoute::merge ? sent : 0;
  add(compression(CompressionStep::compress, {1, kFp32 * n, sent},
                  read + (row.feedback ? 2 * left_out + again : 0) + sent + 2 * kept, sent + kept,
                  left_out + sum_left_out));
  if (scatters) {
    add(transfer(Collective::all_to_all, p * packed, p * packed));
    add(compression(CompressionStep::reduce, {p, packed, packed},
                    p * (packed + 2 * kFp32 * as_double(part)) + packed, (p + 1) * packed));
  }
  const bool gathers = scatters || row.route == ExchangeRoute::gather;
  double arrived = gathers ? p * packed : packed;
  if (gathers) add(transfer(Collective::all_gather, arrived, packed));
  if (row.route == ExchangeRoute::sum) add(transfer(Collective::all_reduce, packed, 0));
  if (row.route == ExchangeRoute::sketch) {
    add(transfer(Collective::all_reduce, packed, 0));
    arrived = kFp32 * as_double(kept_values(elements_, exchange.parameter));
    // Estimates, of which the largest are selected as topk selects them.
    const double reads = row.selecting + 1 + kPassesToSelect;
    add(compression(CompressionStep::reduce, {1, packed, kFp32 * n},
                    reads * kFp32 * n + 2 * arrived, kFp32 * n + packed + 2 * arrived));
    add(transfer(Collective::all_reduce, arrived, arrived));
  }
  if (row.route == ExchangeRoute::merge) {
    // What leaves, and what is kept of the rank's own.
    add(transfer(Collective::butterfly, packed, 2 * packed));
    add(compression(CompressionStep::reduce, {2, packed, packed, std::log2(p)},
                    std::log2(p) * (5 + row.selecting) * packed, 4 * packed));
  }
  const double messages = gathers ? p : 1;
  const Flow back{messages, arrived / messages, kFp32 * n};
  if (!row.feedback) {
    add(compression(CompressionStep::restore, back, arrived + n * value_bytes, arrived));
    return;
  }
  const double added = row.route == ExchangeRoute::gather ? arrived : 0;
  add(compression(CompressionStep::restore, back,
                  arrived + added + kFp32 * n + n * (kFp32 + value_bytes), kFp32 * n + arrived));
}

Transfer CompressedBucket::transfer(Collective collective, double bytes, double given) const {
  Transfer transfer = sum_;
  transfer.collective = collective;
  transfer.bytes = Bytes{bytes};
  transfer.payload = Payload::compressed_gradient;
  transfer.beside = Bytes{given};
  return transfer;
}

Compression CompressedBucket::compression(CompressionStep step, const Flow& flow, double touched,
                                          double held, double kept) const {
  Compression out;
  out.step = step;
  out.exchange = exchange_;
  out.layer = sum_.layer;
  out.elements = elements_;
  out.touched = Bytes{touched};
  out.held = Bytes{held};
  out.kept = Bytes{kept};
  out.inputs = std::llround(flow.inputs);
  out.input = std::llround(flow.input / kFp32);
  out.output = std::llround(flow.output / kFp32);
  out.times = flow.times;
  return out;
}

}  // namespace oracle
