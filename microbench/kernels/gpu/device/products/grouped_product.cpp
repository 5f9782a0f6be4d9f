#include "microbench/kernels/gpu/device/products/grouped_product.h"

#include <numeric>

namespace oracle::gpu {
namespace {

constexpr std::int64_t kBestAlignment = 256;

bool samples_together(const GroupedProduct::Shape& shape) { return shape.samples > shape.groups; }

Factor factor_of(const Grouped& of, bool transposed, bool samples_together, Element type) {
  return {
      of.rows,           of.columns, transposed, of.lead, samples_together ? of.sample : of.group,
      of.alignment(type)};
}

ProductShape product_of(const GroupedProduct::Shape& s, Element type) {
  const bool together = samples_together(s);
  return {.layer = s.layer,
          .pass = s.pass,
          .a = factor_of(s.a, s.a_transposed, together, type),
          .b = factor_of(s.b, s.b_transposed, together, type),
          .count = together ? s.samples : s.groups,
          .d = factor_of(s.d, false, together, type)};
}

}  // namespace

std::int64_t Grouped::alignment(Element type) const {
  const std::int64_t apart = std::gcd(std::gcd(begin, group), sample);
  return std::gcd(apart * static_cast<std::int64_t>(element_bytes(type)), kBestAlignment);
}

GroupedProduct::GroupedProduct(Context& context, const Shape& shape)
    : times_(samples_together(shape) ? shape.groups : shape.samples),
      product_(context, product_of(shape, context.element())) {
  const auto step = [&](const Grouped& of) {
    return Step{of.begin, samples_together(shape) ? of.group : of.sample};
  };
  a_ = step(shape.a);
  b_ = step(shape.b);
  d_ = step(shape.d);
}

}  // namespace oracle::gpu
