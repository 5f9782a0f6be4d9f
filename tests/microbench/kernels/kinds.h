#pragma once
// Layers of one kind in one shape, as parameters of a test.

#include <cmath>
#include <gtest/gtest.h>

#include "tests/microbench/kernels/harness.h"

namespace oracle {

struct KindCase {
  const char* name;
  const char* kind;
  std::int64_t samples;
  Extents input;
  Attributes attributes = {};
  std::vector<Extents> more = {};
};

class OfKinds : public testing::TestWithParam<KindCase> {
 protected:
  reference::Trial trial() const {
    const KindCase& c = GetParam();
    const OneLayer one(c.kind, c.input, c.attributes, c.more);
    reference::Trial made = random_trial(one.whole(c.samples));
    const std::string_view function = made.layer.layer->variant;
    // Beyond the corners of relu6, hardswish and hardsigmoid.
    if (function != "") {
      for (double& x : made.inputs[0].of) x *= 8;
    }
    if (function == "log" || function == "sqrt") {
      for (double& x : made.inputs[0].of) x = std::abs(x) + 0.125;
    }
    if (c.kind == std::string_view("embedding")) {
      const auto entries = static_cast<double>(c.attributes.integer("entries", 1));
      for (double& x : made.inputs[0].of) x = std::floor((x + 1) / 2 * entries);
    }
    kept_ = std::make_unique<OneLayer>(one);
    made.layer.layer = &kept_->layer();
    return made;
  }

 private:
  mutable std::unique_ptr<OneLayer> kept_;
};

}  // namespace oracle
