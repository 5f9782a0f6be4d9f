#include "oracle/base/quantity_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <system_error>
#include <vector>

#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"

namespace oracle {
namespace {

/// What lies outside is a slip, and could overflow in a product of a few: in SI base units.
constexpr double kSmallest = 1e-30;
constexpr double kLargest = 1e30;

/// A unit in SI base units is times/over: powers of ten divide, so that "1.5 us" is the
/// double 1.5e-6.
struct Unit {
  std::string name;
  double times = 1;
  double over = 1;
};

struct Dimension {
  std::string name;
  std::string example;
  std::vector<Unit> units;
};

const Dimension& time_dimension() {
  static const Dimension kTime{"time",
                               "1.5 us",
                               {{"ns", 1, 1e9},
                                {"us", 1, 1e6},
                                {"ms", 1, 1e3},
                                {"s", 1, 1},
                                {"min", 60, 1},
                                {"h", 3600, 1}}};
  return kTime;
}

std::vector<Unit> decimal_units(const std::string& name) {
  return {{name, 1, 1},          {"k" + name, 1e3, 1},  {"M" + name, 1e6, 1}, {"G" + name, 1e9, 1},
          {"T" + name, 1e12, 1}, {"P" + name, 1e15, 1}, {"E" + name, 1e18, 1}};
}

std::vector<Unit> binary_units() {
  return {{"B", 1, 1},        {"KiB", 0x1p10, 1}, {"MiB", 0x1p20, 1},
          {"GiB", 0x1p30, 1}, {"TiB", 0x1p40, 1}, {"PiB", 0x1p50, 1}};
}

std::vector<Unit> size_units() {
  std::vector<Unit> units = decimal_units("B");
  for (const Unit& unit : binary_units()) {
    if (unit.name != "B") units.push_back(unit);
  }
  for (const char* bit : {"b", "bit"}) {
    for (Unit unit : decimal_units(bit)) {
      unit.over = 8;
      units.push_back(unit);
    }
  }
  return units;
}

std::vector<Unit> per_second(std::vector<Unit> units) {
  for (Unit& unit : units) unit.name += "/s";
  return units;
}

/// Vendors write "Gbps" for Gb/s and "GBps" for GB/s.
std::vector<Unit> bandwidth_units() {
  std::vector<Unit> units = per_second(size_units());
  for (const char* name : {"b", "B"}) {
    for (Unit unit : decimal_units(name)) {
      unit.name += "ps";
      if (*name == 'b') unit.over = 8;
      units.push_back(unit);
    }
  }
  return units;
}

const Dimension& size_dimension() {
  static const Dimension kSize{"size", "16 GiB", size_units()};
  return kSize;
}

const Dimension& bandwidth_dimension() {
  static const Dimension kBandwidth{"bandwidth", "25 GB/s", bandwidth_units()};
  return kBandwidth;
}

const Dimension& flop_rate_dimension() {
  static const Dimension kRate{"rate", "15.7 TFLOP/s", per_second(decimal_units("FLOP"))};
  return kRate;
}

const Dimension& price_dimension() {
  static const Dimension kPrice{"price", "3.06 USD/h", {{"USD/h", 1, 1}}};
  return kPrice;
}

const Dimension& money_dimension() {
  static const Dimension kMoney{"sum of money", "500 USD", {{"USD", 1, 1}}};
  return kMoney;
}

const Dimension& power_dimension() {
  static const Dimension kPower{"power", "300 W", {{"W", 1, 1}, {"kW", 1e3, 1}}};
  return kPower;
}

const Dimension& share_dimension() {
  static const Dimension kShare{"share", "3 %", {{"%", 1, 100}}};
  return kShare;
}

const Dimension& throughput_dimension() {
  static const Dimension kThroughput{"throughput", "219 samples/s", {{"samples/s", 1, 1}}};
  return kThroughput;
}

std::string unit_of(const std::string& example) { return example.substr(example.find(' ') + 1); }

[[noreturn]] void refuse(const Dimension& dimension, const std::string& message) {
  throw QuantityError(message,
                      "write a " + dimension.name + " such as \"" + dimension.example + "\"");
}

/// The double nearest to the decimal number in front, and what follows it.
double read_number(std::string_view& rest, std::string_view text, const Dimension& dimension) {
  const std::string shown = in_quotes(text);
  if (text.empty()) refuse(dimension, "is empty");
  if (text.front() == '-') refuse(dimension, shown + " is negative");
  if (text.front() < '0' || text.front() > '9')
    refuse(dimension, shown + " does not start with a number");
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) refuse(dimension, shown + " is out of range");
  rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return value;
}

double parse(std::string_view text, const Dimension& dimension) {
  std::string_view unit_text;
  const double value = read_number(unit_text, text, dimension);
  const std::size_t blanks = unit_text.find_first_not_of(' ');
  if (blanks == std::string_view::npos) {
    const std::string_view number = text.substr(0, text.size() - unit_text.size());
    throw QuantityError(
        in_quotes(text) + " has no unit",
        "write " + in_quotes(std::string(number) + " " + unit_of(dimension.example)));
  }
  unit_text.remove_prefix(blanks);
  for (const Unit& unit : dimension.units) {
    if (unit.name != unit_text) continue;
    const double scaled = value * unit.times / unit.over;
    if (scaled != 0 && !(scaled >= kSmallest && scaled <= kLargest)) {
      refuse(dimension, in_quotes(text) + " is out of range");
    }
    return scaled;
  }
  std::vector<std::string> names;
  for (const Unit& unit : dimension.units) names.push_back(unit.name);
  throw QuantityError(in_quotes(unit_text) + " is not a unit of " + dimension.name,
                      suggestion(unit_text, names));
}

std::string fixed(double value, int decimals) {
  std::array<char, 400> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::fixed, decimals);
  return {buffer.data(), result.ptr};
}

/// How many decimals leave three significant digits once rounded.
int decimals_of(double value) {
  if (std::round(value * 100) < 1000) return 2;
  return std::round(value * 10) < 1000 ? 1 : 0;
}

/// The unit is the largest that leaves at least one, after rounding: 999.96 MB is 1.00 GB.
std::string write(double value, std::span<const Unit> units, const Unit& zero_unit) {
  if (value < 0) return "-" + write(-value, units, zero_unit);
  if (value == 0) return "0 " + zero_unit.name;
  const Unit* unit = &units.front();
  for (const Unit& larger : units.subspan(1)) {
    const double in_unit = value * unit->over / unit->times;
    const double shift = std::pow(10.0, decimals_of(in_unit));
    const double shown = std::round(in_unit * shift) / shift;
    if (shown * unit->times / unit->over < larger.times / larger.over) break;
    unit = &larger;
  }
  const double in_unit = value * unit->over / unit->times;
  const bool whole = &zero_unit == unit && unit == &units.front() && in_unit == std::floor(in_unit);
  return fixed(in_unit, whole ? 0 : decimals_of(in_unit)) + " " + unit->name;
}

std::string write_decimal(double value, const std::string& name) {
  const std::vector<Unit> units = decimal_units(name);
  return write(value, units, units.front());
}

}  // namespace

Seconds parse_seconds(std::string_view text) { return Seconds{parse(text, time_dimension())}; }
Bytes parse_bytes(std::string_view text) { return Bytes{parse(text, size_dimension())}; }
Bandwidth parse_bandwidth(std::string_view text) {
  return Bandwidth{parse(text, bandwidth_dimension())};
}
FlopRate parse_flop_rate(std::string_view text) {
  return FlopRate{parse(text, flop_rate_dimension())};
}
double parse_throughput(std::string_view text) { return parse(text, throughput_dimension()); }

double parse_price(std::string_view text) { return parse(text, price_dimension()); }

double parse_money(std::string_view text) { return parse(text, money_dimension()); }

double parse_power(std::string_view text) { return parse(text, power_dimension()); }

double parse_share(std::string_view text) { return parse(text, share_dimension()); }

std::int64_t parse_count(std::string_view text, std::int64_t least, std::int64_t most) {
  const std::string remedy =
      "write an integer from " + std::to_string(least) + " to " + std::to_string(most);
  if (text.empty()) throw QuantityError("is empty", remedy);
  if (text.find_first_not_of("0123456789") != std::string_view::npos) {
    throw QuantityError(in_quotes(text) + " is not an integer", remedy);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value < least || value > most) {
    throw QuantityError(in_quotes(text) + " is out of range", remedy);
  }
  return value;
}

std::int64_t parse_large_count(std::string_view text) {
  constexpr std::array<std::pair<char, double>, 5> kPrefixes = {
      {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'B', 1e9}, {'T', 1e12}}};
  constexpr double kMost = 1e18;
  const std::string remedy = "write a number such as 15T, 300G or 1000000";
  std::string_view digits = text;
  double factor = 1;
  for (const auto& [prefix, value] : kPrefixes) {
    if (digits.empty() || digits.back() != prefix) continue;
    factor = value;
    digits.remove_suffix(1);
    break;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value,
                                            std::chars_format::fixed);
  const bool read = error == std::errc{} && end == digits.data() + digits.size();
  if (!read || !(value * factor >= 1 && value * factor <= kMost)) {
    throw QuantityError(in_quotes(text) + " is no count", remedy);
  }
  return std::llround(value * factor);
}

std::string to_text(Seconds time) {
  const std::vector<Unit>& units = time_dimension().units;
  return write(time.value, units, units[3]);
}
std::string to_text(Bytes size) { return write_decimal(size.value, "B"); }
std::string to_binary_text(Bytes size) {
  const std::vector<Unit> units = binary_units();
  return write(size.value, units, units.front());
}
std::string to_text(Flops work) { return write_decimal(work.value, "FLOP"); }
std::string to_text(Bandwidth bandwidth) { return write_decimal(bandwidth.value, "B/s"); }
std::string to_text(FlopRate rate) { return write_decimal(rate.value, "FLOP/s"); }

}  // namespace oracle
