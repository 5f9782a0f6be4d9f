#pragma once
// How is a quantity written and read?
//
// Every quantity in an input has a unit; a bare number is refused. Decimal prefixes are powers of
// 1000 (kB … EB), binary ones powers of 1024 (KiB … PiB); `b`/`bit` is an eighth of a byte.
//
//   time        ns us ms s min h          "1.5 us"
//   size        B kB … EB, KiB … PiB      "16 GiB"
//   bandwidth   <size>/s, Gbit/s, Gbps    "12.5 GB/s", "100 Gbit/s", "100 Gbps"
//   operations  FLOP … EFLOP              "4.1 GFLOP"
//   rate        FLOP/s … EFLOP/s          "15.7 TFLOP/s"
//   price       USD/h                     "3.06 USD/h"
//   money       USD                       "500 USD"
//   power       W kW                      "300 W"
//   share       %                         "3 %"
//
// NaN, infinities, negatives, signs, trailing text and what lies outside 1e-30 to 1e30 (zero aside)
// are refused.
// Worked: "100 Gbit/s" is Bandwidth{12.5e9}                      tests/base/quantity_text_test.cpp

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "oracle/base/units.h"

namespace oracle {

/// Why a text is no quantity, with the remedy; the caller adds the place.
class QuantityError : public std::runtime_error {
 public:
  QuantityError(const std::string& message, std::string remedy_text)
      : std::runtime_error(message), remedy(std::move(remedy_text)) {}
  std::string remedy;
};

/// Each throws QuantityError: `"25" has no unit` / remedy `write "25 GB/s"`.
Seconds parse_seconds(std::string_view text);
Bytes parse_bytes(std::string_view text);
Bandwidth parse_bandwidth(std::string_view text);
FlopRate parse_flop_rate(std::string_view text);
double parse_throughput(std::string_view text);  ///< "219 samples/s"
double parse_price(std::string_view text);       ///< "3.06 USD/h", dollars per hour
double parse_money(std::string_view text);       ///< "500 USD", dollars
double parse_power(std::string_view text);       ///< "300 W", watts
double parse_share(std::string_view text);       ///< "3 %", 0.03

/// A whole number ≥ `least`; no sign, no blanks, no exponent. Throws QuantityError.
std::int64_t parse_count(std::string_view text, std::int64_t least, std::int64_t most);

/// A count above 0 with a decimal prefix: "15T", "1.5G", "300". B is G. Throws QuantityError.
std::int64_t parse_large_count(std::string_view text);

/// Three significant digits with a fitting prefix: "12.0 ms", "25.6 MB", "12.5 GB/s".
std::string to_text(Seconds time);
std::string to_text(Bytes size);         ///< decimal prefixes
std::string to_binary_text(Bytes size);  ///< binary prefixes: "15.9 GiB"
std::string to_text(Flops work);
std::string to_text(Bandwidth bandwidth);
std::string to_text(FlopRate rate);

}  // namespace oracle
