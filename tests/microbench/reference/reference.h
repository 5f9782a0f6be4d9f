#pragma once
// What should a kernel compute? Plain loops in double precision over dense NCDHW values, one file
// per kind; slow, and written from the formulas alone. finite_differences() checks their backward
// passes against their forward passes. A layer that is taken along (LocalLayer::then) is a
// rectifier.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "microbench/kernels/kernel.h"

namespace oracle::reference {

/// A dense tensor: samples outermost, then channels, depth, height, width.
struct Values {
  Extents extents;
  std::vector<double> of;

  explicit Values(const Extents& size = {})
      : extents(size), of(static_cast<std::size_t>(size.elements())) {}

  std::int64_t positions() const { return extents.depth * extents.height * extents.width; }
  double& at(std::int64_t n, std::int64_t c, std::int64_t p) { return of[index(n, c, p)]; }
  double at(std::int64_t n, std::int64_t c, std::int64_t p) const { return of[index(n, c, p)]; }

 private:
  std::size_t index(std::int64_t n, std::int64_t c, std::int64_t p) const {
    return static_cast<std::size_t>((n * extents.channels + c) * positions() + p);
  }
};

/// A layer's piece with everything that its passes read.
struct Trial {
  LocalLayer layer;
  std::vector<Values> inputs;
  std::vector<std::vector<double>> weights;  ///< in the order of Weights::read
  Values output_gradient;
  double gradient_scale = 1;
};

struct Gradients {
  std::vector<Values> inputs;
  std::vector<std::vector<double>> weights;
};

Values forward(const Trial& trial);
Gradients backward(const Trial& trial);

/// Some thirty values of a tensor of `count`, spread over all of it: enough to know a formula by.
std::vector<std::size_t> samples_of(std::size_t count);

/// Gradients of Σ output_gradient·y (of a loss: gradient_scale·Σ y) by central differences; those
/// of all inputs but a loss's targets and of all weights, at samples_of() each and zero elsewhere.
Gradients finite_differences(const Trial& trial, double step = 1e-5);

/// Zeros of the shapes that `trial` has.
Gradients zero_gradients(const Trial& trial);

}  // namespace oracle::reference
