#include "oracle/io/samples/fields.h"

#include <algorithm>
#include <cmath>

#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"

namespace oracle::samples {
namespace {

constexpr std::array<std::pair<std::string_view, Format>, 5> kFormats = {{{"fp32", Format::fp32},
                                                                          {"tf32", Format::tf32},
                                                                          {"fp16", Format::fp16},
                                                                          {"bf16", Format::bf16},
                                                                          {"fp8", Format::fp8}}};
constexpr std::array<std::pair<std::string_view, Mode>, 4> kModes = {
    {{"fp32", Mode::fp32}, {"tf32", Mode::tf32}, {"amp", Mode::amp}, {"bf16", Mode::bf16}}};
constexpr std::array<std::pair<std::string_view, How>, 3> kHows = {
    {{"eager", How::eager}, {"graph", How::graph}, {"compile", How::compile}}};
constexpr std::array<std::pair<std::string_view, Order>, 2> kOrders = {
    {{"nchw", Order::nchw}, {"nhwc", Order::nhwc}}};

/// No time in microseconds, rate or size of a sensible file is larger.
constexpr double kMostNumber = 1e15;

bool is_number(const json::Node& node) {
  return node.type == json::Type::integer || node.type == json::Type::real;
}

}  // namespace

std::string_view name_of(Format format) { return kFormats[static_cast<std::size_t>(format)].first; }
std::string_view name_of(Mode mode) { return kModes[static_cast<std::size_t>(mode)].first; }
std::string_view name_of(How how) { return kHows[static_cast<std::size_t>(how)].first; }

void Fields::know(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
}

bool Fields::has(std::string_view key) {
  know(key);
  const json::Node* member = node_.find(key);
  return object_.has(key) && member->type != json::Type::null;
}

std::string Fields::text(std::string_view key) {
  know(key);
  return object_.string(key);
}

std::string Fields::text_or_empty(std::string_view key) {
  if (!has(key)) return {};
  const json::Node* member = node_.find(key);
  return member->type == json::Type::integer ? std::to_string(member->integer) : text(key);
}

bool Fields::flag(std::string_view key) {
  if (!has(key) && node_.type == json::Type::object) {
    problem({}, in_quotes(key) + " is missing", "add it");
  }
  return flag_or_false(key);
}

bool Fields::flag_or_false(std::string_view key) {
  know(key);
  return object_.boolean(key, false);
}

std::int64_t Fields::count(std::string_view key, std::int64_t least) {
  know(key);
  return object_.integer(key, least, kMostCount);
}

std::optional<std::int64_t> Fields::count_if_any(std::string_view key) {
  return has(key) ? std::optional(count(key, 0)) : std::nullopt;
}

std::optional<Bytes> Fields::bytes_if_any(std::string_view key) {
  return has(key) ? std::optional(bytes(key)) : std::nullopt;
}

std::vector<std::int64_t> Fields::extents(std::string_view key, std::int64_t least) {
  const json::Node* list = array(key);
  std::vector<std::int64_t> values;
  if (list == nullptr) return values;
  for (const json::Node& item : list->items) {
    if (item.type != json::Type::integer || item.integer < least || item.integer > kMostCount) {
      problem(key, "holds something that is not a size",
              "write integers of at least " + std::to_string(least));
      return values;
    }
    values.push_back(item.integer);
  }
  if (values.empty()) problem(key, "has no sizes");
  return values;
}

std::optional<double> Fields::number_if_any(std::string_view key) {
  if (!has(key)) return std::nullopt;
  const json::Node& member = *node_.find(key);
  if (is_number(member)) return member.real;
  problem(key, "is " + std::string(json::name_of(member.type)) + ", not a number");
  return std::nullopt;
}

double Fields::positive(std::string_view key) {
  const json::Node* member = node_.find(key);
  know(key);
  if (!object_.has(key)) {
    if (node_.type == json::Type::object) problem({}, in_quotes(key) + " is missing", "add it");
  } else if (!is_number(*member)) {
    problem(key, "is " + std::string(json::name_of(member->type)) + ", not a number");
  } else if (member->real > 0 && member->real <= kMostNumber) {
    return member->real;
  } else {
    problem(key, "is not above 0, or absurd", "leave out what was not measured");
  }
  return 1;
}

std::optional<Seconds> Fields::time_if_any(std::string_view key, Seconds unit) {
  const std::optional<double> number = number_if_any(key);
  if (!number) return std::nullopt;
  if (*number >= 0 && *number <= kMostNumber) return unit * *number;
  problem(key, "is below 0, or absurd");
  return std::nullopt;
}

std::vector<double> Fields::numbers(std::string_view key, std::size_t how_many) {
  const json::Node* list = array(key);
  std::vector<double> values;
  if (list == nullptr) return {};
  for (const json::Node& item : list->items) {
    if (is_number(item)) values.push_back(item.real);
  }
  if (list->items.size() == how_many && values.size() == how_many) return values;
  problem(key, "does not hold " + std::to_string(how_many) + " numbers",
          "write median, 10th and 90th percentile" +
              std::string(how_many == 4 ? " and the host's time" : ""));
  return {};
}

Spread Fields::as_spread(std::string_view key, const std::vector<double>& numbers, Seconds unit) {
  if (numbers.empty()) return {unit, unit, unit};
  const double median = numbers[0];
  const double p10 = numbers[1];
  const double p90 = numbers[2];
  if (median > 0 && p10 >= 0 && p10 <= median && median <= p90 && p90 <= kMostNumber) {
    return {unit * median, unit * p10, unit * p90};
  }
  problem(key, "is not a median above 0 between its 10th and 90th percentile");
  return {unit, unit, unit};
}

Spread Fields::spread(std::string_view key, Seconds unit) {
  return as_spread(key, numbers(key, 3), unit);
}

std::optional<Spread> Fields::spread_if_any(std::string_view key, Seconds unit) {
  return has(key) ? std::optional(spread(key, unit)) : std::nullopt;
}

Timing Fields::timing(std::string_view key) {
  const std::vector<double> values = numbers(key, 4);
  const Seconds host = kMicrosecond * (values.empty() ? 0 : values[3]);
  const bool sound = host.value >= 0 && host.value <= kMostNumber;
  if (!sound) problem(key, "has a host's time below 0, or absurd");
  return {as_spread(key, values, kMicrosecond), sound ? host : Seconds{}};
}

std::map<std::string, std::string> Fields::texts(std::string_view key) {
  std::map<std::string, std::string> all;
  const json::Node* held = object(key, false);
  if (held == nullptr) return all;
  for (const json::Member& member : held->members) {
    if (member.value.type == json::Type::string) {
      all[member.name] = member.value.string;
    } else {
      problem(key, in_quotes(member.name) + " is not a string");
    }
  }
  return all;
}

std::vector<std::string> Fields::list_of_texts(std::string_view key) {
  know(key);
  return object_.strings(key);
}

const json::Node* Fields::array(std::string_view key) {
  know(key);
  return object_.array(key, true);
}

const json::Node* Fields::object(std::string_view key, bool required) {
  know(key);
  return object_.object(key, required);
}

void Fields::refuse_choice(std::string_view key, const std::string& word,
                           const std::vector<std::string>& known) {
  problem(key, in_quotes(word) + " is not known", suggestion(word, known));
}

void Fields::count_the_rest(const std::string& prefix,
                            std::map<std::string, std::size_t>& into) const {
  for (const json::Member& member : node_.members) {
    if (std::find(known_.begin(), known_.end(), member.name) != known_.end()) continue;
    ++into[prefix + "/" + on_one_line(member.name)];
  }
  for (const auto& [name, times] : inner_) into[prefix + "/" + name] += times;
}

void Fields::pass_over(const Fields& inner, std::string_view key) {
  inner.count_the_rest(std::string(key), inner_);
}

Format read_format(Fields& fields, std::string_view key) { return fields.choice(key, kFormats); }
Mode read_mode(Fields& fields) { return fields.choice("mode", kModes); }
How read_how(Fields& fields, std::string_view key) { return fields.choice(key, kHows); }
Order read_order(Fields& fields) { return fields.choice("layout", kOrders); }

}  // namespace oracle::samples
