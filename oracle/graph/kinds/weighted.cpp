#include "oracle/graph/kinds/weighted.h"

#include "oracle/graph/limits.h"

namespace oracle {

void describe_weighted(Layer& layer, const Filters& filters, const Attributes& attributes) {
  layer.weights.push_back({"weight",
                           bounded_product({filters.count, filters.weights_each}, "the weights"),
                           filters.count, filters.features_in});
  const bool bias = attributes.flag("bias", true);
  if (bias) layer.weights.push_back({"bias", filters.count, filters.count});
  const double additions = bias ? 1 : 0;
  layer.work = {{{additions, 1, 1, 1}, {0, 1, 1, 1}, {additions, 1, 1, 1}}};
  layer.keeps_input = true;
}

}  // namespace oracle
