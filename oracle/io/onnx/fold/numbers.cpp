// Arithmetic element by element, of integers and of real numbers.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "oracle/base/error.h"
#include "oracle/io/onnx/fold/fold.h"
#include "oracle/io/onnx/shapes.h"

namespace oracle::onnx {
namespace {

enum class Makes : std::uint8_t { same, truth };

template <typename Number>
using Binary = std::optional<Number> (*)(Number, Number);

using Integer = std::optional<std::int64_t>;
using Real = std::optional<double>;

constexpr std::int64_t kMostNegative = std::numeric_limits<std::int64_t>::min();

/// FLOAT, FLOAT16, DOUBLE and BFLOAT16 among ONNX's types of elements.
bool is_real(std::int64_t type) { return type == 1 || type == 10 || type == 11 || type == 16; }

std::int64_t floor_remainder(std::int64_t a, std::int64_t b) {
  const std::int64_t left = a % b;
  return left != 0 && (left < 0) != (b < 0) ? left + b : left;
}

Integer power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0 || exponent > 62) return {};
  std::int64_t result = 1;
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(result, base, &result)) return {};
  }
  return result;
}

struct BinaryRow {
  std::string_view type;
  Makes makes;
  Binary<std::int64_t> integers;
  Binary<double> reals;
};

constexpr std::array kBinary = {
    BinaryRow{"Add", Makes::same,
              [](std::int64_t a, std::int64_t b) -> Integer {
                std::int64_t c = 0;
                return __builtin_add_overflow(a, b, &c) ? Integer{} : c;
              },
              [](double a, double b) -> Real { return a + b; }},
    BinaryRow{"Sum", Makes::same,
              [](std::int64_t a, std::int64_t b) -> Integer {
                std::int64_t c = 0;
                return __builtin_add_overflow(a, b, &c) ? Integer{} : c;
              },
              [](double a, double b) -> Real { return a + b; }},
    BinaryRow{"Sub", Makes::same,
              [](std::int64_t a, std::int64_t b) -> Integer {
                std::int64_t c = 0;
                return __builtin_sub_overflow(a, b, &c) ? Integer{} : c;
              },
              [](double a, double b) -> Real { return a - b; }},
    BinaryRow{"Mul", Makes::same,
              [](std::int64_t a, std::int64_t b) -> Integer {
                std::int64_t c = 0;
                return __builtin_mul_overflow(a, b, &c) ? Integer{} : c;
              },
              [](double a, double b) -> Real { return a * b; }},
    BinaryRow{"Div", Makes::same,
              [](std::int64_t a, std::int64_t b) -> Integer {
                if (b == 0) throw InputError("", "it divides by zero");
                return b == -1 ? Integer{} : Integer{a / b};
              },
              [](double a, double b) -> Real { return a / b; }},
    BinaryRow{"Mod", Makes::same,
              [](std::int64_t a, std::int64_t b) -> Integer {
                if (b == 0) throw InputError("", "it divides by zero");
                return b == -1 ? 0 : floor_remainder(a, b);
              },
              [](double a, double b) -> Real { return std::fmod(a, b); }},
    BinaryRow{"Pow", Makes::same, power, [](double a, double b) -> Real { return std::pow(a, b); }},
    BinaryRow{"Max", Makes::same,
              [](std::int64_t a, std::int64_t b) -> Integer { return std::max(a, b); },
              [](double a, double b) -> Real { return std::max(a, b); }},
    BinaryRow{"Min", Makes::same,
              [](std::int64_t a, std::int64_t b) -> Integer { return std::min(a, b); },
              [](double a, double b) -> Real { return std::min(a, b); }},
    BinaryRow{"Equal", Makes::truth,
              [](std::int64_t a, std::int64_t b) -> Integer { return a == b; },
              [](double a, double b) -> Real { return a == b; }},
    BinaryRow{"Greater", Makes::truth,
              [](std::int64_t a, std::int64_t b) -> Integer { return a > b; },
              [](double a, double b) -> Real { return a > b; }},
    BinaryRow{"GreaterOrEqual", Makes::truth,
              [](std::int64_t a, std::int64_t b) -> Integer { return a >= b; },
              [](double a, double b) -> Real { return a >= b; }},
    BinaryRow{"Less", Makes::truth, [](std::int64_t a, std::int64_t b) -> Integer { return a < b; },
              [](double a, double b) -> Real { return a < b; }},
    BinaryRow{"LessOrEqual", Makes::truth,
              [](std::int64_t a, std::int64_t b) -> Integer { return a <= b; },
              [](double a, double b) -> Real { return a <= b; }},
    BinaryRow{"And", Makes::truth,
              [](std::int64_t a, std::int64_t b) -> Integer { return a != 0 && b != 0; },
              [](double, double) -> Real { return {}; }},
    BinaryRow{"Or", Makes::truth,
              [](std::int64_t a, std::int64_t b) -> Integer { return a != 0 || b != 0; },
              [](double, double) -> Real { return {}; }},
    BinaryRow{"Xor", Makes::truth,
              [](std::int64_t a, std::int64_t b) -> Integer { return (a != 0) != (b != 0); },
              [](double, double) -> Real { return {}; }},
};

struct UnaryRow {
  std::string_view type;
  std::int64_t (*integer)(std::int64_t);
  double (*real)(double);
};

constexpr std::array kUnary = {
    UnaryRow{"Neg", [](std::int64_t a) { return a == kMostNegative ? a : -a; },
             [](double a) { return -a; }},
    UnaryRow{"Abs", [](std::int64_t a) { return a < 0 && a != kMostNegative ? -a : a; },
             [](double a) { return std::fabs(a); }},
    UnaryRow{"Not", [](std::int64_t a) -> std::int64_t { return a == 0; }, nullptr},
    UnaryRow{"Sign", [](std::int64_t a) -> std::int64_t { return (a > 0) - (a < 0); }, nullptr},
    UnaryRow{"Relu", [](std::int64_t a) { return std::max<std::int64_t>(a, 0); }, nullptr},
    UnaryRow{"Floor", nullptr, [](double a) { return std::floor(a); }},
    UnaryRow{"Ceil", nullptr, [](double a) { return std::ceil(a); }},
    UnaryRow{"Round", nullptr, [](double a) { return std::nearbyint(a); }},
    UnaryRow{"Sqrt", nullptr, [](double a) { return std::sqrt(a); }},
    UnaryRow{"Exp", nullptr, [](double a) { return std::exp(a); }},
    UnaryRow{"Log", nullptr, [](double a) { return std::log(a); }},
    UnaryRow{"Reciprocal", nullptr, [](double a) { return 1 / a; }},
};

/// Where an element of a broadcast tensor comes from.
class Broadcast {
 public:
  Broadcast(const Integers& from, const Integers& to) : to_(to), strides_(to.size(), 0) {
    std::int64_t stride = 1;
    for (std::size_t i = from.size(); i-- > 0;) {
      if (from[i] != 1) strides_[to.size() - from.size() + i] = stride;
      stride *= from[i];
    }
  }
  std::size_t operator()(std::int64_t at) const {
    std::int64_t found = 0;
    for (std::size_t i = to_.size(); i-- > 0;) {
      found += at % to_[i] * strides_[i];
      at /= to_[i];
    }
    return static_cast<std::size_t>(found);
  }

 private:
  const Integers& to_;
  Integers strides_;
};

Integers dims_of(const Call& call) {
  Integers dims = call.input(0).dims;
  for (std::size_t i = 1; i < call.inputs.size(); ++i) {
    if (call.has(i)) dims = broadcast(dims, call.inputs[i]->dims);
  }
  return dims;
}

bool few(const Integers& dims) { return elements_of(dims) <= static_cast<std::int64_t>(kMostKept); }

/// The values of two lists put together; nothing where a result is not known.
template <typename Number, typename Combine>
std::optional<std::vector<Number>> combined(const std::vector<Number>& a, const Broadcast& from_a,
                                            const std::vector<Number>& b, const Broadcast& from_b,
                                            std::int64_t count, const Combine& combine) {
  std::vector<Number> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto value = combine(a[from_a(i)], b[from_b(i)]);
    if (!value) return {};
    values.push_back(*value);
  }
  return values;
}

Tensor binary(const Call& call, const BinaryRow& row, const Tensor& a, const Tensor& b) {
  const bool real = a.real || b.real;
  Tensor result = computed(call, broadcast(a.dims, b.dims), real && row.makes == Makes::same);
  if (!few(result.dims)) return result;
  const Broadcast from_a(a.dims, result.dims), from_b(b.dims, result.dims);
  const std::int64_t count = elements_of(result.dims);
  if (a.integers && b.integers) {
    result.integers = combined(*a.integers, from_a, *b.integers, from_b, count, row.integers);
  } else if (a.reals && b.reals) {
    const auto values = combined(*a.reals, from_a, *b.reals, from_b, count, row.reals);
    if (values && result.real) result.reals = values;
    if (values && !result.real) result.integers = Integers(values->begin(), values->end());
  }
  return result;
}

Tensor unary(const Call& call, const UnaryRow& row) {
  const Tensor& from = call.input(0);
  Tensor result = computed(call, from.dims, from.real);
  if (from.integers && row.integer != nullptr) {
    result.integers = Integers();
    for (const std::int64_t each : *from.integers) result.integers->push_back(row.integer(each));
  } else if (from.reals && row.real != nullptr) {
    result.reals = Reals();
    for (const double each : *from.reals) result.reals->push_back(row.real(each));
  }
  return result;
}

Tensor chosen(const Call& call) {
  const Tensor &truth = call.input(0), &a = call.input(1), &b = call.input(2);
  Tensor result = computed(call, dims_of(call), a.real || b.real);
  if (!few(result.dims) || !truth.integers) return result;
  const Broadcast from_truth(truth.dims, result.dims), from_a(a.dims, result.dims),
      from_b(b.dims, result.dims);
  const std::int64_t count = elements_of(result.dims);
  const auto choose = [&](const auto& yes, const auto& no, auto& values) {
    values.emplace();
    for (std::int64_t i = 0; i < count; ++i) {
      const bool taken = (*truth.integers)[from_truth(i)] != 0;
      values->push_back(taken ? (*yes)[from_a(i)] : (*no)[from_b(i)]);
    }
  };
  if (a.integers && b.integers) choose(a.integers, b.integers, result.integers);
  if (a.reals && b.reals) choose(a.reals, b.reals, result.reals);
  return result;
}

}  // namespace

std::vector<Tensor> fold_numbers(const Call& call) {
  const std::string_view type = call.node.type;
  if (type == "Where") return {chosen(call)};
  for (const UnaryRow& row : kUnary) {
    if (row.type == type) return {unary(call, row)};
  }
  for (const BinaryRow& row : kBinary) {
    if (row.type != type) continue;
    Tensor result = call.input(0);
    for (std::size_t i = 1; i < call.inputs.size(); ++i) {
      result = binary(call, row, result, call.input(i));
    }
    return {std::move(result)};
  }
  return {computed(call, dims_of(call), call.input(0).real)};
}

std::vector<Tensor> fold_cast(const Call& call) {
  const Tensor& from = call.input(0);
  const bool to_real =
      call.node.type == "DequantizeLinear" ||
      (call.node.type == "CastLike" ? call.input(1).real : is_real(integer_of(call.node, "to", 1)));
  Tensor result = from;
  result.real = to_real;
  if (call.node.type == "DequantizeLinear") {
    // Its scale is no weight where there is one for all.
    result.integers.reset();
    const Tensor& scale = call.input(1);
    if (scale.elements() > 1) result.sources.insert(scale.sources.begin(), scale.sources.end());
  } else if (to_real && from.integers) {
    result.reals = Reals(from.integers->begin(), from.integers->end());
    result.integers.reset();
  } else if (!to_real && from.reals) {
    result.integers = Integers();
    for (const double each : *from.reals) {
      const bool fits = std::fabs(each) < 9e18;
      result.integers->push_back(fits ? static_cast<std::int64_t>(each) : 0);
    }
    result.reals.reset();
  }
  return {std::move(result)};
}

}  // namespace oracle::onnx
