#include "validate/data/sample_source.h"

#include "oracle/base/error.h"

namespace oracle {

void SampleSource::further(const Region&, std::int64_t, std::span<float>) const {
  throw InputError("--data", "the network reads a second text, which these samples do not have",
                   "train it on the generated set");
}

}  // namespace oracle
