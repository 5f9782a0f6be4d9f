#include "tests/fuzz/promises.h"

#include <algorithm>
#include <cmath>

#include "oracle/evaluate/evaluation.h"

namespace oracle::fuzz {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

void check_refusal(const InputError& error) {
  ensure(!error.problems().empty(), "a refusal without a problem");
  for (const Problem& problem : error.problems()) {
    const std::string text = to_text(problem);
    ensure(!problem.message.empty(), "a problem without a message");
    ensure(std::none_of(text.begin(), text.end(), is_control),
           "a problem with a control character");
  }
}

void check_engine(const Graph& graph, const Cluster& cluster, const Strategy& strategy) {
  const Training training{2 * strategy.ranks(), precision_named("fp32"),
                          optimizer_named("momentum")};
  reads([&] {
    const Evaluation answer = evaluate(graph, cluster, Profile{}, strategy, training);
    if (const Fits* fits = answer.fits()) {
      ensure(std::isfinite(fits->step.time.value) && fits->step.time.value > 0,
             "a step that takes no finite time");
      ensure(fits->step.uncertainty >= 0, "a step without an interval");
      ensure(fits->timeline.length.value > 0, "an empty timeline");
    } else {
      ensure(!answer.infeasible()->unit.empty(), "an infeasible plan without what it needs");
    }
  });
}

}  // namespace oracle::fuzz
