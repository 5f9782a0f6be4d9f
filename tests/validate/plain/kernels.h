#pragma once
// Kernels of the plain back end, one factory per family of layer kinds.

#include "tests/validate/plain/tensors.h"

namespace oracle::plain {

std::unique_ptr<Kernel> contraction(const LocalLayer& local);
std::unique_ptr<Kernel> pooling(const LocalLayer& local);
std::unique_ptr<Kernel> normalization(const LocalLayer& local);  ///< batch, layer, local response
std::unique_ptr<Kernel> elementwise(const LocalLayer& local);
std::unique_ptr<Kernel> loss(const LocalLayer& local);

/// The parts of a kernel that most leave out.
class Plain : public Kernel {
 public:
  explicit Plain(const LocalLayer& local) : local_(local) {}
  std::unique_ptr<Saved> saved() const override { return nullptr; }
  void backward_weights(const Call&) override {}
  std::vector<float> statistics(const Call&, Pass) override { return {}; }

 protected:
  LocalLayer local_;
};

/// Calls visit(n, c, d, h, w) for all positions.
template <typename Visit>
void for_each(const Extents& e, Visit visit) {
  for (std::int64_t n = 0; n < e.samples; ++n) {
    for (std::int64_t c = 0; c < e.channels; ++c) {
      for (std::int64_t d = 0; d < e.depth; ++d) {
        for (std::int64_t h = 0; h < e.height; ++h) {
          for (std::int64_t w = 0; w < e.width; ++w) visit(n, c, d, h, w);
        }
      }
    }
  }
}

/// Calls visit(d, h, w, tap) for the wide positions within `wide` that window position (d, h, w)
/// reads.
template <typename Visit>
void for_each_tap(const Window& window, const Extents& wide, std::int64_t d, std::int64_t h,
                  std::int64_t w, Visit visit) {
  const std::int64_t at[3] = {d, h, w};
  std::int64_t tap = 0;
  for (std::int64_t i = 0; i < window.kernel[0]; ++i) {
    for (std::int64_t j = 0; j < window.kernel[1]; ++j) {
      for (std::int64_t k = 0; k < window.kernel[2]; ++k, ++tap) {
        const std::int64_t step[3] = {i, j, k};
        std::int64_t p[3];
        for (std::size_t s = 0; s < 3; ++s) {
          p[s] = at[s] * window.stride[s] - window.pad_before[s] + step[s] * window.dilation[s];
        }
        const bool inside = p[0] >= 0 && p[0] < wide.depth && p[1] >= 0 && p[1] < wide.height &&
                            p[2] >= 0 && p[2] < wide.width;
        if (inside) visit(p[0], p[1], p[2], tap);
      }
    }
  }
}

inline void zero(DenseTensor& tensor) { tensor.values().assign(tensor.values().size(), 0); }

}  // namespace oracle::plain
