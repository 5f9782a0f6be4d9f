#include "oracle/cluster/plain_model.h"

#include <algorithm>

namespace oracle {

Seconds PlainModel::of(const KernelWork& work) const {
  double seconds = per_operation * work.operations + per_element * work.elements;
  for (const FullCache& full : full_caches) {
    seconds += full.per_element * std::max(0.0, work.elements - full.elements);
  }
  return launch + Seconds{seconds};
}

PlainModel operator/(PlainModel model, double factor) {
  model.launch = model.launch / factor;
  model.per_operation /= factor;
  model.per_element /= factor;
  for (FullCache& full : model.full_caches) full.per_element /= factor;
  return model;
}

}  // namespace oracle
