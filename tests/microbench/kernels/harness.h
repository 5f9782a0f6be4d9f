#pragma once
// Runs a kernel on a reference's trial and compares.
//
// The environment variable ORACLE_TEST_BACKEND names the back end: a row of all_backends(), or
// "emulated-" and a precision, the GPU's kernels on a device that is none
// (tests/emulated_gpu/README.md); the processor's where it is not set. Where its device is missing
// all is skipped, with a sentence, or fails if ORACLE_EXPECT_GPU is set.

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "microbench/kernels/backend.h"
#include "oracle/graph/graph.h"
#include "tests/microbench/reference/reference.h"

namespace oracle {

/// A network of one layer of some kind, so that the kind itself describes it.
class OneLayer {
 public:
  /// `input` per sample; further inputs of the shapes in `more`.
  OneLayer(std::string_view kind, const Extents& input, const Attributes& attributes = {},
           const std::vector<Extents>& more = {});

  const Layer& layer() const { return layer_; }
  /// All of the layer for `samples` samples.
  LocalLayer whole(std::int64_t samples) const;

 private:
  Graph graph_;
  Layer layer_;
  std::vector<Shape> shapes_;
};

Shape shape_of(const Extents& extents);

/// Values drawn uniformly from [-1, 1), rounded to the back end's elements, equal for equal seeds.
std::vector<double> random_values(std::int64_t count, unsigned seed);

/// A trial with random operands, rounded likewise.
reference::Trial random_trial(const LocalLayer& layer, unsigned seed = 1);

std::unique_ptr<Backend> backend_under_test();
/// How far a result may be off, by norm, from what exact arithmetic makes of the same operands:
/// 1e-5 of fp32, what factors rounded to tf32 leave; of bf16 and fp16
/// two units of roundoff, u = 2^-8 and 2^-11: a
/// kernel rounds its result, and before it one more value at most (a sum before its bias, an
/// output from which the derivative follows).
double tolerance();

/// A tensor of the back end with these values.
std::unique_ptr<Tensor> tensor_of(Backend& backend, const reference::Values& values);
/// The same for targets and for numbers that are looked up, which are fp32 on any back end.
std::unique_ptr<Tensor> fp32_tensor_of(Backend& backend, const reference::Values& values);
reference::Values values_of(const Tensor& tensor);
void write_weights(Weights& weights, const std::vector<std::vector<double>>& values);
std::vector<double> gradient_of(const Weights& weights, std::size_t index);
std::vector<double> value_of(const Weights& weights, std::size_t index);

/// ‖a − b‖/‖b‖, the norms over all values; ‖a − b‖ where b is zero.
double relative_error(const std::vector<double>& a, const std::vector<double>& b);

/// All three passes on fresh tensors; each result within tolerance() of the reference's, by norm.
void expect_like_reference(const reference::Trial& trial);

/// The reference's backward passes against its forward pass.
void expect_reference_consistent(const reference::Trial& trial);

}  // namespace oracle
