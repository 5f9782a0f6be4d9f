#include "tests/microbench/kernels/harness.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>

#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"
#ifdef ORACLE_EMULATED_GPU
#include "tests/emulated_gpu/backend.h"
#endif

namespace oracle {

using reference::Gradients;
using reference::Trial;
using reference::Values;

namespace {

std::string wanted_backend() {
  const char* name = std::getenv("ORACLE_TEST_BACKEND");
  return name == nullptr ? "cpu" : name;
}

Element element_under_test() {
  if (wanted_backend().ends_with("-bf16")) return Element::bf16;
  return wanted_backend().ends_with("-fp16") ? Element::fp16 : Element::fp32;
}

/// Skips everything where the back end's device is missing.
class OnItsDevice : public testing::Environment {
 public:
  void SetUp() override {
    if (wanted_backend() == "cpu") return;
    try {
      backend_under_test();
    } catch (const EnvironmentError& error) {
      if (std::getenv("ORACLE_EXPECT_GPU") != nullptr) {
        std::cerr << error.what() << std::endl;
        std::exit(EXIT_FAILURE);
      }
      // What ctest knows a skipped test by; of all tests at once GoogleTest does not print it.
      std::cout << "[  SKIPPED ] " << error.what() << std::endl;
      GTEST_SKIP() << error.what();
    }
  }
};

[[maybe_unused]] const testing::Environment* const kOnItsDevice =
    testing::AddGlobalTestEnvironment(new OnItsDevice);

Box all_of(const Extents& extents) { return {{0, 0, 0, 0, 0}, extents}; }

std::size_t rank_of_shape(const Extents& extents) {
  if (extents.depth > 1) return 3;
  if (extents.height > 1) return 2;
  return extents.width > 1 ? 1 : 0;
}

float rounded_to(Element type, float value) {
  switch (type) {
    case Element::bf16:
      return bf16_to_float(float_to_bf16(value));
    case Element::fp16:
      return fp16_to_float(float_to_fp16(value));
    case Element::fp32:
      break;
  }
  return value;
}

void round_to_elements(std::vector<double>& values) {
  const Element type = element_under_test();
  for (double& value : values) {
    const auto single = static_cast<float>(value);
    value = double{rounded_to(type, single)};
  }
}

/// Targets and the numbers that are looked up in a table are fp32 on any back end.
bool always_fp32(const Trial& trial, std::size_t input) {
  const Layer& layer = *trial.layer.layer;
  return layer.looks_up || (layer.kind->is_loss && input > 0);
}

/// With operands that tensors hold exactly.
Trial rounded(Trial trial) {
  for (std::size_t i = 0; i < trial.inputs.size(); ++i) {
    if (!always_fp32(trial, i)) round_to_elements(trial.inputs[i].of);
  }
  return trial;
}

std::unique_ptr<Tensor> filled(std::unique_ptr<Tensor> tensor, const Values& values) {
  const std::vector<float> floats(values.of.begin(), values.of.end());
  tensor->write(all_of(values.extents), floats.data());
  return tensor;
}

std::vector<double> sampled(const std::vector<double>& values) {
  std::vector<double> few;
  for (const std::size_t i : reference::samples_of(values.size())) few.push_back(values[i]);
  return few;
}

void run_and_compare(Kernel& kernel, Backend& backend, const Trial& trial) {
  std::vector<std::unique_ptr<Tensor>> tensors, gradients;
  std::vector<Tensor*> inputs, input_gradients;
  const bool loss = trial.layer.layer->kind->is_loss;
  for (const Values& input : trial.inputs) {
    const bool fp32 = always_fp32(trial, inputs.size());
    tensors.push_back(fp32 ? fp32_tensor_of(backend, input) : tensor_of(backend, input));
    inputs.push_back(tensors.back().get());
    input_gradients.push_back(gradients.emplace_back(backend.tensor(input.extents)).get());
  }
  if (loss) input_gradients.back() = nullptr;
  const auto output =
      loss ? backend.fp32_tensor(trial.layer.output) : backend.tensor(trial.layer.output);
  const auto dy = tensor_of(backend, trial.output_gradient);
  const auto weights = backend.weights(trial.layer);
  write_weights(*weights, trial.weights);
  const auto saved = kernel.saved();
  Call call;
  call.inputs = inputs;
  call.output = output.get();
  call.output_gradient = dy.get();
  call.input_gradients = input_gradients;
  call.weights = weights.get();
  call.saved = saved.get();
  call.gradient_scale = trial.gradient_scale;
  kernel.forward(call);
  EXPECT_LT(relative_error(values_of(*output).of, reference::forward(trial).of), tolerance())
      << "forward";
  weights->begin_step();
  kernel.backward_data(call);
  kernel.backward_weights(call);
  const Gradients expected = reference::backward(trial);
  const auto expect_input_gradients = [&](const char* when) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (input_gradients[i] == nullptr) continue;
      EXPECT_LT(relative_error(values_of(*gradients[i]).of, expected.inputs[i].of), tolerance())
          << "gradient of input " << i << when;
    }
  };
  expect_input_gradients("");
  for (std::size_t i = 0; i < trial.weights.size(); ++i) {
    EXPECT_LT(relative_error(gradient_of(*weights, i), expected.weights[i]), tolerance())
        << "gradient of parameter " << i;
  }
  if (!trial.layer.layer->in_place || trial.layer.inputs[0] != trial.layer.output) return;
  call.output = inputs[0];
  kernel.forward(call);
  EXPECT_LT(relative_error(values_of(*inputs[0]).of, reference::forward(trial).of), tolerance())
      << "forward in place";
  input_gradients[0] = dy.get();
  kernel.backward_data(call);
  EXPECT_LT(relative_error(values_of(*dy).of, expected.inputs[0].of), tolerance())
      << "gradient of the first input in place";
}

}  // namespace

Shape shape_of(const Extents& extents) {
  Shape shape;
  shape[Axis::channel] = extents.channels;
  shape[Axis::depth] = extents.depth;
  shape[Axis::height] = extents.height;
  shape[Axis::width] = extents.width;
  return shape;
}

OneLayer::OneLayer(std::string_view kind, const Extents& input, const Attributes& attributes,
                   const std::vector<Extents>& more) {
  shapes_.push_back(shape_of(input));
  for (const Extents& extents : more) shapes_.push_back(shape_of(extents));
  const Kind* found = find_kind(kind);
  layer_.name = "layer";
  layer_.kind = found;
  layer_.input = shapes_[0];
  layer_.spatial_rank = rank_of_shape(input);
  found->describe(layer_, attributes, shapes_);
}

LocalLayer OneLayer::whole(std::int64_t samples) const {
  LocalLayer local;
  local.layer = &layer_;
  for (const Shape& shape : shapes_) local.inputs.push_back(extents_of(shape, samples));
  local.output = extents_of(layer_.output, samples);
  local.window = layer_.window;
  local.groups = layer_.groups;
  local.whole = local.output;
  return local;
}

std::vector<double> random_values(std::int64_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> distribution(-1, 1);
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(distribution(engine));
  round_to_elements(values);
  return values;
}

Trial random_trial(const LocalLayer& layer, unsigned seed) {
  Trial trial;
  trial.layer = layer;
  for (const Extents& extents : layer.inputs) {
    Values values(extents);
    values.of = random_values(extents.elements(), ++seed);
    trial.inputs.push_back(std::move(values));
  }
  const auto backend = backend_under_test();
  const auto weights = backend->weights(layer);
  for (std::size_t i = 0; i < layer.layer->weights.size(); ++i) {
    trial.weights.push_back(random_values(weights->elements(i), ++seed));
  }
  trial.output_gradient = Values(layer.output);
  trial.output_gradient.of = random_values(layer.output.elements(), ++seed);
  return trial;
}

std::unique_ptr<Backend> backend_under_test() {
  const std::string wanted = wanted_backend();
#ifdef ORACLE_EMULATED_GPU
  constexpr std::string_view kEmulated = "emulated-";
  if (wanted.starts_with(kEmulated)) return emulated_gpu_backend(wanted.substr(kEmulated.size()));
#endif
  for (const BackendRow& row : all_backends()) {
    if (row.name == wanted) return row.make(1);
  }
  throw EnvironmentError("there is no back end \"" + wanted + "\" in this build");
}

double tolerance() {
  if (element_under_test() == Element::bf16) return 2 * 0x1p-8;
  if (element_under_test() == Element::fp16) return 2 * 0x1p-11;
  return wanted_backend() == "gpu-tf32" ? 2e-3 : 1e-5;
}

std::unique_ptr<Tensor> tensor_of(Backend& backend, const Values& values) {
  return filled(backend.tensor(values.extents), values);
}

std::unique_ptr<Tensor> fp32_tensor_of(Backend& backend, const Values& values) {
  return filled(backend.fp32_tensor(values.extents), values);
}

Values values_of(const Tensor& tensor) {
  Values values(tensor.extents());
  std::vector<float> floats(values.of.size());
  tensor.read(all_of(tensor.extents()), floats.data());
  values.of.assign(floats.begin(), floats.end());
  return values;
}

void write_weights(Weights& weights, const std::vector<std::vector<double>>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::vector<float> floats(values[i].begin(), values[i].end());
    weights.write(i, floats.data());
  }
}

std::vector<double> gradient_of(const Weights& weights, std::size_t index) {
  std::vector<float> floats(static_cast<std::size_t>(weights.elements(index)));
  weights.read_gradient(index, floats.data());
  return {floats.begin(), floats.end()};
}

std::vector<double> value_of(const Weights& weights, std::size_t index) {
  std::vector<float> floats(static_cast<std::size_t>(weights.elements(index)));
  weights.read(index, floats.data());
  return {floats.begin(), floats.end()};
}

double relative_error(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  // A NaN must not pass for a small error.
  if (std::isnan(difference)) return INFINITY;
  return std::sqrt(norm > 0 ? difference / norm : difference);
}

void expect_like_reference(const Trial& trial) {
  const auto backend = backend_under_test();
  ASSERT_NE(backend, nullptr);
  const auto kernel = backend->kernel(trial.layer);
  run_and_compare(*kernel, *backend, rounded(trial));
}

void expect_reference_consistent(const Trial& trial) {
  const Gradients slopes = reference::finite_differences(trial);
  const Gradients gradients = reference::backward(trial);
  for (std::size_t i = 0; i < slopes.inputs.size(); ++i) {
    EXPECT_LT(relative_error(sampled(gradients.inputs[i].of), sampled(slopes.inputs[i].of)), 1e-6)
        << "input " << i;
  }
  for (std::size_t i = 0; i < slopes.weights.size(); ++i) {
    EXPECT_LT(relative_error(sampled(gradients.weights[i]), sampled(slopes.weights[i])), 1e-6)
        << "parameter " << i;
  }
}

}  // namespace oracle
