// Every change of layout that a plan can ask for is complete, and moves what it states.

#include <functional>
#include <gtest/gtest.h>
#include <vector>

#include "tests/properties/layout_simulation.h"
#include "tests/properties/random_cases.h"

namespace oracle {
namespace properties_layout_test {

using Degrees = std::vector<std::int64_t>;

std::string to_text(const Layout& from, const Layout& to, const Degrees& degrees) {
  std::string text;
  for (std::size_t a = 0; a < degrees.size(); ++a) {
    text += " axis of " + std::to_string(degrees[a]) + ": " + std::string(name_of(from[a])) +
            " to " + std::string(name_of(to[a])) + ';';
  }
  return text;
}

/// Every layout of `axes` axes with these states.
std::vector<Layout> layouts(std::size_t axes, const std::vector<State>& states) {
  std::vector<Layout> all = {Layout{}};
  for (std::size_t a = 0; a < axes; ++a) {
    std::vector<Layout> longer;
    for (const Layout& layout : all) {
      for (const State state : states) {
        longer.push_back(layout);
        longer.back()[a] = state;
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// What a change asks for: no layer demands a partial sum.
std::vector<State> demanded(std::vector<State> states) {
  std::erase(states, State::partial);
  return states;
}

std::vector<Conversion> steps_of(const Layout& from, const Layout& to, const WholeTensor& tensor,
                                 const Degrees& degrees) {
  const auto steps = convert(from, to, tensor.shape(), tensor.samples, degrees);
  return {steps.begin(), steps.end()};
}

struct Change {
  const Layout& from;
  const Layout& to;
  const WholeTensor& tensor;
  const Degrees& degrees;
};

/// Calls check(change) for all pairs of layouts on this mesh.
void on_changes(const Degrees& degrees, const std::vector<State>& states, const WholeTensor& tensor,
                const std::function<void(const Change&)>& check) {
  std::uint64_t change = 0;
  for (const Layout& from : layouts(degrees.size(), states)) {
    for (const Layout& to : layouts(degrees.size(), demanded(states))) {
      if (change++ % kStride == 0) check({from, to, tensor, degrees});
    }
  }
}

const std::vector<State> kAllStates = {State::replicated, State::sample, State::channel,
                                       State::height, State::partial};
const std::vector<State> kFewStates = {State::replicated, State::sample, State::channel,
                                       State::partial};

void on_every_change(const std::function<void(const Change&)>& check) {
  const WholeTensor uneven{5, 7, 4};
  for (std::int64_t p = 1; p <= 3; ++p) {
    on_changes({p}, kAllStates, {6, 6, 6}, check);
    on_changes({p}, kAllStates, uneven, check);
    for (std::int64_t q = 1; q <= 3; ++q) {
      on_changes({p, q}, kAllStates, {p * q, p * q, p * q}, check);
      on_changes({p, q}, kAllStates, uneven, check);
    }
  }
  for (const Degrees& degrees :
       {Degrees{2, 2, 2}, Degrees{2, 3, 2}, Degrees{3, 1, 2}, Degrees{3, 2, 3}}) {
    on_changes(degrees, kFewStates, {5, 7, 1}, check);
  }
  on_changes({2, 2, 2}, kFewStates, {8, 8, 1}, check);
}

std::string missing_in(const Change& change) {
  return missing_after(change.from, change.to, change.tensor, change.degrees,
                       steps_of(change.from, change.to, change.tensor, change.degrees));
}

TEST(LayoutLaws, EveryRankEndsWithItsPartFullySummed) {
  int changes = 0;
  on_every_change([&](const Change& change) {
    ++changes;
    EXPECT_EQ(missing_in(change), "") << to_text(change.from, change.to, change.degrees);
  });
  EXPECT_GE(changes, enough(15000));
}

/// The gradient between a filter cut and a channel cut: reduced, ranks 1 and 2 of 4 hold each
/// other's quarter of the channels.
TEST(LayoutLaws, ASumScatteredOutsideOfAnotherCutIsRenumbered) {
  const Layout from = {State::partial, State::channel}, to = {State::channel, State::channel};
  const WholeTensor tensor{2, 8, 1};
  const Degrees degrees = {2, 2};
  const std::vector<Conversion> steps = steps_of(from, to, tensor, degrees);
  EXPECT_EQ(steps, (std::vector<Conversion>{{Collective::reduce_scatter, 0b01, 8},
                                            {Collective::send_receive, 0b11, 4}}));
  EXPECT_EQ(missing_after(from, to, tensor, degrees, {steps.data(), 1}), "rank 1 lacks element 2");
}

TEST(LayoutLaws, NoStepCouldBeLeftOut) {
  int shortened = 0;
  on_changes({2, 3}, kAllStates, {6, 6, 6}, [&](const Change& change) {
    std::vector<Conversion> steps = steps_of(change.from, change.to, change.tensor, change.degrees);
    if (steps.empty()) return;
    steps.pop_back();
    ++shortened;
    EXPECT_NE(missing_after(change.from, change.to, change.tensor, change.degrees, steps), "")
        << to_text(change.from, change.to, change.degrees);
  });
  EXPECT_GE(shortened, enough(200));
}

}  // namespace properties_layout_test
}  // namespace oracle
