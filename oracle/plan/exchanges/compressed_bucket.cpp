#include "oracle/plan/exchanges/compressed_bucket.h"

namespace oracle {
namespace {

constexpr double kFp32 = 4;

double as_double(std::int64_t count) { return static_cast<double>(count); }

}  // namespace

CompressedBucket::CompressedBucket(const ChosenExchange& exchange, const Transfer& sum,
                                   int value_bytes, std::int64_t ranks)
    : sum_(sum), elements_(static_cast<std::int64_t>(sum.bytes.value) / value_bytes) {
  const GradientExchange& row = *exchange.row;
  const bool scatters = row.route == ExchangeRoute::scatter_gather;
  const double n = as_double(elements_), p = as_double(ranks);
  const std::int64_t part = scatters ? part_of(elements_, ranks) : elements_;
  const double packed = as_double(exchange.packed(part));
  const double parts = scatters ? p : 1;
  const double left_out = row.feedback ? kFp32 * parts * as_double(part) : 0;
  const double sum_left_out = row.feedback && scatters ? kFp32 * as_double(part) : 0;

  const double taken = n * (value_bytes + kFp32) + kFp32 * n;
  add(compression(CompressionStep::compress,
                  taken + 2 * left_out + row.selecting * kFp32 * n + parts * packed,
                  kFp32 * n + parts * packed, left_out + sum_left_out));
  if (scatters) {
    add(transfer(Collective::all_to_all, p * packed, p * packed));
    add(compression(CompressionStep::reduce, p * (packed + 2 * kFp32 * as_double(part)) + packed,
                    (p + 1) * packed));
  }
  const bool sums = row.route == ExchangeRoute::sum;
  const double arrived = sums ? packed : p * packed;
  add(sums ? transfer(Collective::all_reduce, packed, 0)
           : transfer(Collective::all_gather, arrived, packed));
  const double added = row.route == ExchangeRoute::gather ? arrived : 0;
  add(compression(CompressionStep::restore, arrived + added + kFp32 * n + n * (kFp32 + value_bytes),
                  kFp32 * n + arrived));
}

Transfer CompressedBucket::transfer(Collective collective, double bytes, double given) const {
  Transfer transfer = sum_;
  transfer.collective = collective;
  transfer.bytes = Bytes{bytes};
  transfer.payload = Payload::compressed_gradient;
  transfer.beside = Bytes{given};
  return transfer;
}

Compression CompressedBucket::compression(CompressionStep step, double touched, double held,
                                          double kept) const {
  return {step, sum_.layer, elements_, Bytes{touched}, Bytes{held}, Bytes{kept}};
}

}  // namespace oracle
