#pragma once
// In which steps do halos come to a layer, or their gradients go back?
//
// One exchange for each spatial axis that is cut; a later axis also sends the corners that an
// earlier one brought. Gradients go back the other way round, the last axis first.
//
// Worked: a 3x3 convolution by height:2,width:2: planes of height first, whose extents are then
// those of width's as well tests/plan/layout/halo_test.cpp

#include <array>
#include <cstdint>

#include "oracle/plan/assignment.h"
#include "oracle/plan/plan.h"

namespace oracle {

struct HaloStep {
  Transfer transfer;
  std::uint8_t without = 0, with = 0;  ///< PlanTensor::halos on both ends
  Shape before, after;                 ///< extents of a rank's part on both ends
};

/// At most one for each spatial axis.
class HaloSteps {
 public:
  void clear() { size_ = 0; }
  void push_back(const HaloStep& step) { steps_[size_++] = step; }
  const HaloStep* begin() const { return steps_.data(); }
  const HaloStep* end() const { return steps_.data() + size_; }

 private:
  std::array<HaloStep, kSpatialAxes.size()> steps_{};
  std::size_t size_ = 0;
};

/// Lists those of a tensor whose part has `extents`, as `layer` reads it. `planes`: those of a halo
/// that travel.
void list_halo_steps(const Graph& graph, const Plan& plan, LayerId tensor, LayerId layer,
                     const Halos& halos, std::int64_t Halo::*planes, Shape extents, Phase phase,
                     HaloSteps& steps);

}  // namespace oracle
