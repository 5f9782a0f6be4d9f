#include "oracle/search/per_layer/codes.h"

#include <algorithm>

#include "oracle/base/error.h"

namespace oracle::per_layer {

Codes::Codes(const Shape& input, std::size_t axes) : axes_(axes) {
  ensure(axes <= kMostAxes, "a per-layer search is asked for on more mesh axes than it has");
  states_ = {State::replicated, State::partial, State::sample, State::channel};
  for (const Axis axis : kSpatialAxes) {
    if (input[axis] > 1) states_.push_back(sharded(axis));
  }
  for (std::size_t d = 0; d < states_.size(); ++d) {
    digit_[static_cast<std::size_t>(states_[d])] = static_cast<std::uint8_t>(d);
  }
  std::size_t count = 1;
  for (std::size_t a = 0; a < axes; ++a) count *= states_.size();
  layouts_.resize(count);
  for (std::size_t code = 0; code < count; ++code) {
    std::size_t rest = code;
    for (std::size_t a = 0; a < axes; ++a) {
      layouts_[code][a] = states_[rest % states_.size()];
      rest /= states_.size();
    }
  }
  tabulate_joins();
}

Code Codes::encode(const Layout& layout) const {
  std::size_t code = 0;
  for (std::size_t a = axes_; a-- > 0;) {
    code = code * states_.size() + digit_[static_cast<std::size_t>(layout[a])];
  }
  return static_cast<Code>(code);
}

void Codes::tabulate_joins() {
  joined_.resize(size() * size());
  for (std::size_t first = 0; first < size(); ++first) {
    for (std::size_t second = 0; second < size(); ++second) {
      Layout layout = layouts_[first];
      for (std::size_t a = 0; a < axes_; ++a) {
        const State other = layouts_[second][a];
        if (!is_sharded(layout[a]) && other != State::replicated) layout[a] = other;
      }
      joined_[first * size() + second] = encode(layout);
    }
  }
}

}  // namespace oracle::per_layer
