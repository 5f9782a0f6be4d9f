#pragma once
// How do ranks exchange gradients otherwise than by an all-reduce of them as they are?
//
// exchange=NAME of a strategy, or NAME:PARAMETER, is a row of table.cpp: what n values are
// compressed to, and the way that they go. The ways, over P ranks:
//
//   sum             all-reduce of the compressed values, which are numbers: 2(P−1)/P·c(n) bytes
//                   of each rank; what DDP's fp16_compress_hook and Horovod's Compression.fp16 do
//   scatter_gather  all-to-all of compressed parts, each rank sums its own, compresses the sum and
//                   all-gathers it: 2(P−1)·c(n/P). Seide et al., "1-Bit SGD", Interspeech 2014,
//                   section 3.3; Tang et al., "1-bit Adam", arXiv 2102.02888, section 4
//   gather          all-gather of what each has compressed, and every rank sums: (P−1)·c(n).
//                   Lin et al., "Deep Gradient Compression", arXiv 1712.01887
//   merge           pairs of ranks swap what they have and merge it, log2(P) times: log2(P)·c(n).
//                   Shi et al., "gTop-k", arXiv 1901.04359, whose tree sends it back as well
//   sketch          all-reduce of sketches, which add up; of the sum every rank reads where the
//                   largest values are, and an all-reduce of these follows: 2(P−1)/P·(c(n) + 4k).
//                   Ivkin et al., "Sketched-SGD", arXiv 1903.04488
//   average         no gradient travels: weights do, every so many steps (averaging.h)
//   servers         some ranks sum and update a part of the weights each, and others fetch it
//                   (servers.h)
//
// With feedback a rank adds to its next gradient what compression left out of this one, in fp32:
// n values, and n/P more where sums are compressed again. Karimireddy et al., arXiv 1901.09847.
// A step that no one measured is priced by what it touches, as a stream (cost/price.h).
//
// Worked: 1000 values over 4 ranks by int8: parts of 250, each 250 codes in 252 bytes and a scale
// of 4: 256; a rank sends 2·3·256 = 1536 bytes for 6000 in fp32
//                                             tests/plan/exchanges/gradient_exchange_test.cpp

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace oracle {

enum class ExchangeRoute : std::uint8_t {
  sum,
  scatter_gather,
  gather,
  merge,
  sketch,
  average,
  servers
};

struct GradientExchange {
  std::string_view name;       ///< "topk"
  std::string_view parameter;  ///< what is given behind a colon, as help shows it: "1%"; or empty
  std::string_view text;       ///< what it does and its source, one line
  ExchangeRoute route;
  bool feedback;
  /// Times that fp32 values are read again to find out which are sent, or are sketched.
  int selecting;
  /// Bytes of `elements` values once they are compressed; a multiple of 4 where values do not sum.
  /// Null where none are.
  std::int64_t (*packed)(std::int64_t elements, double parameter);
  /// Throws QuantityError where the text is no parameter.
  double (*read)(std::string_view text);
  /// Whether nothing is left out.
  bool (*exact)(double parameter);
};

std::span<const GradientExchange> all_gradient_exchanges();

/// A row with its parameter.
struct ChosenExchange {
  const GradientExchange* row = nullptr;  ///< null: an all-reduce of gradients as they are
  double parameter = 0;

  bool compresses() const { return row != nullptr && row->packed != nullptr; }
  bool averages() const { return row != nullptr && row->route == ExchangeRoute::average; }
  /// Steps from one average of weights to the next.
  std::int64_t period() const { return averages() ? static_cast<std::int64_t>(parameter) : 1; }
  /// Ranks of a group that have a part of its weights each, at most; 0: none.
  std::int64_t servers() const {
    const bool serves = row != nullptr && row->route == ExchangeRoute::servers;
    return serves ? static_cast<std::int64_t>(parameter) : 0;
  }
  std::int64_t packed(std::int64_t elements) const { return row->packed(elements, parameter); }
  /// Whether what is trained differs from synchronous training without it.
  bool loses() const { return row != nullptr && !row->exact(parameter); }
};

/// The row that `exchange` names (Strategy::exchange); none for "auto" and the algorithms of an
/// all-reduce. Throws InputError (place "exchange") where the parameter is none of the row's.
ChosenExchange chosen_exchange(std::string_view exchange);

/// The name before the colon.
std::string_view name_of_exchange(std::string_view exchange);

}  // namespace oracle
