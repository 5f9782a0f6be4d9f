#include "oracle/accuracy/step_comparison.h"

#include <vector>

namespace oracle {

StepAccuracy judge_steps(std::span<const StepComparison> steps) {
  std::vector<Comparison> times;
  std::vector<double> memory_errors;
  StepAccuracy accuracy;
  accuracy.verdicts = steps.size();
  for (const StepComparison& step : steps) {
    if (step.time) times.push_back(*step.time);
    if (step.memory) memory_errors.push_back(step.memory->signed_error());
    accuracy.agreed += step.agrees() ? 1 : 0;
  }
  accuracy.time = judge(times);
  accuracy.memory = judge_errors(memory_errors);
  return accuracy;
}

std::variant<StepComparison, Infeasible> compare_step(const Graph& graph, const Cluster& cluster,
                                                      const Profile& profile,
                                                      const MeasuredStep& measured) {
  // What was measured ran layer by layer.
  const Strategy uncut = parse_strategy("serial; fusion=off");
  auto planned = partition(graph, uncut, measured.training, cluster);
  if (auto* refusal = std::get_if<Infeasible>(&planned)) return std::move(*refusal);
  const Footprint memory = footprint(graph, std::get<Plan>(planned), cluster);

  StepComparison out;
  out.needed = memory.total();
  out.available = memory.available;
  out.fits_measured = measured.time.has_value();
  if (measured.peak) {
    out.memory = {memory.allocated(), *measured.peak};
  }
  const Evaluation evaluation = evaluate(graph, cluster, profile, uncut, measured.training);
  const Fits* fits = evaluation.fits();
  out.fits_predicted = fits != nullptr;
  if (fits != nullptr && measured.time) out.time = {fits->step, *measured.time};
  return out;
}

}  // namespace oracle
