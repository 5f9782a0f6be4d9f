// What does turning queries or keys by their positions (a rotary embedding) compute and touch?
//
//   (y[2i], y[2i+1]) = (x[2i], x[2i+1]) turned by p·θ^(−2i/d),   of each head, at position p
//                                                            Su et al., arXiv 2104.09864
//
// Nothing is trained. Forward reads x and writes y, which may overwrite it: 3 operations per
// element that is turned. Backward turns dy back. The table of sines is small and counts nothing.
//
// Worked: 32 heads of 128 at 8192 positions: 100.7 MFLOP    tests/graph/kinds/transformer_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/groups.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"heads", "groups of channels that are turned apart"},
    {"features", "channels of each head that are turned, an even number; all"},
    {"base", "θ; 10000"},
};

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  layer.groups = read_groups(attributes, "heads", layer.input.channels());
  const std::int64_t head = layer.input.channels() / layer.groups;
  const std::int64_t turned = attributes.integer("features", 2, head);
  if (turned % 2 != 0 || turned > head) {
    throw InputError("",
                     std::to_string(turned) + " channels of a head of " + std::to_string(head) +
                         " cannot be turned in pairs",
                     "choose an even number of \"features\" up to that");
  }
  layer.heads.turned = turned;
  layer.heads.base = attributes.integer("base", 1, 10'000);
  layer.output = layer.input;
  layer.mixing = Mixing::whole;
  layer.reach = Reach::pointwise;
  const double flops = 3 * static_cast<double>(turned) / static_cast<double>(head);
  layer.work = {{{flops, 1, 1, 0}, {flops, 1, 1, 0}, {}}};
  layer.in_place = true;
}

}  // namespace

const Kind kRotaryKind{"rotary", "turns each head by the position", kAttributes, 1, 1, false,
                       describe};

}  // namespace oracle
