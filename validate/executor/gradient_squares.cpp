#include "validate/executor/gradient_squares.h"

#include <chrono>
#include <variant>

namespace oracle {

GradientSquares::GradientSquares(const TrainedLayers& trained, const Program& program,
                                 const std::vector<SampleRange>& ranges, std::int64_t own)
    : trained_(trained),
      by_rank_(!program.buckets.empty()),
      part_samples_(by_rank_ ? own : ranges.front().size()) {
  for (const TrainedLayer& layer : program.trained) layers_.push_back(layer.layer);
  std::int64_t batch = 0;
  for (const SampleRange& range : ranges) batch += range.size();
  part_factor_ = static_cast<double>(batch) / static_cast<double>(part_samples_);
}

void GradientSquares::begin_step() {
  squares_ = {};
  squares_.part_samples = part_samples_;
}

void GradientSquares::add(const std::vector<LayerId>& layers, double factor, double& sum) {
  const auto start = std::chrono::steady_clock::now();
  for (const LayerId id : layers) sum += factor * factor * trained_.gradient_square(id);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  squares_.seconds += taken.count();
}

void GradientSquares::before_exchange(const std::vector<LayerId>& layers) {
  if (by_rank_) add(layers, part_factor_, squares_.part);
}

void GradientSquares::behind_first_micro_batch() {
  if (!by_rank_) add(layers_, part_factor_, squares_.part);
}

void GradientSquares::before_update() { add(layers_, 1, squares_.whole); }

std::int64_t own_samples(const Program& program) {
  for (const StageProgram& stage : program.stages) {
    for (const Operation& operation : stage.forward) {
      const auto* load = std::get_if<Load>(&operation.what);
      if (load == nullptr || !load->targets) continue;
      return program.slots[load->to].region.extents().samples;
    }
  }
  return 0;
}

}  // namespace oracle
