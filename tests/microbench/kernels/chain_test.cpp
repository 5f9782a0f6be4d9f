// Layers one after another: formats that are kept between them, several micro-batches in flight,
// memory that is counted.

#include <gtest/gtest.h>

#include "tests/microbench/kernels/harness.h"

namespace oracle {
namespace chain_test {

using reference::Values;

/// One layer of a chain with its tensors.
struct Link {
  std::unique_ptr<OneLayer> one;
  LocalLayer layer;
  std::unique_ptr<Kernel> kernel;
  std::unique_ptr<Weights> weights;
  std::unique_ptr<Saved> saved;
  std::unique_ptr<Tensor> y, dy;

  Link(Backend& backend, std::string_view kind, const Extents& input, std::int64_t samples,
       const Attributes& attributes = {}, const std::vector<Extents>& more = {})
      : one(std::make_unique<OneLayer>(kind, input, attributes, more)),
        layer(one->whole(samples)),
        kernel(backend.kernel(layer)),
        weights(backend.weights(layer)),
        saved(kernel->saved()),
        y(backend.tensor(layer.output)),
        dy(backend.tensor(layer.output)) {
    for (std::size_t i = 0; i < layer.layer->weights.size(); ++i) {
      const std::vector<double> values = random_values(weights->elements(i), 3);
      const std::vector<float> floats(values.begin(), values.end());
      weights->write(i, floats.data());
    }
  }

  Call call(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& gradients) const {
    Call made;
    made.inputs = inputs;
    made.output = y.get();
    made.output_gradient = dy.get();
    made.input_gradients = gradients;
    made.weights = weights.get();
    made.saved = saved.get();
    return made;
  }
  void forward(const std::vector<Tensor*>& inputs) const { kernel->forward(call(inputs, {})); }
  void backward(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& gradients) const {
    const Call made = call(inputs, gradients);
    weights->begin_step();
    kernel->backward_weights(made);
    kernel->backward_data(made);
  }
};

/// conv → bn → relu → conv → add of the relu: a residual block.
class Block : public testing::Test {
 protected:
  std::unique_ptr<Backend> backend = backend_under_test();
  Link first{*backend,
             "convolution",
             {1, 3, 1, 12, 12},
             2,
             {{"features", 32}, {"kernel", 3}, {"pad", 1}, {"bias", false}}};
  Link norm{*backend, "batch_norm", {1, 32, 1, 12, 12}, 2};
  Link relu{*backend, "activation", {1, 32, 1, 12, 12}, 2};
  Link second{*backend,
              "convolution",
              {1, 32, 1, 12, 12},
              2,
              {{"features", 32}, {"kernel", 3}, {"pad", 1}, {"bias", false}}};
  Link sum{*backend, "add", {1, 32, 1, 12, 12}, 2, {}, {{1, 32, 1, 12, 12}}};
  std::unique_ptr<Tensor> x, branch;

  void SetUp() override {
    Values image(first.layer.inputs[0]);
    image.of = random_values(image.extents.elements(), 1);
    x = tensor_of(*backend, image);
    branch = backend->tensor(relu.layer.output);
    Values gradient(sum.layer.output);
    gradient.of = random_values(gradient.extents.elements(), 2);
    sum.dy = tensor_of(*backend, gradient);
  }

  void step() {
    first.forward({x.get()});
    norm.forward({first.y.get()});
    relu.forward({norm.y.get()});
    second.forward({relu.y.get()});
    sum.forward({second.y.get(), relu.y.get()});
    sum.backward({second.y.get(), relu.y.get()}, {second.dy.get(), branch.get()});
    second.backward({relu.y.get()}, {relu.dy.get()});
    backend->add(*relu.dy, *branch);
    relu.backward({norm.y.get()}, {norm.dy.get()});
    norm.backward({first.y.get()}, {first.dy.get()});
    first.backward({x.get()}, {nullptr});
  }
};

TEST_F(Block, ReordersNothingButTheWeightsOfBackwardData) {
  step();
  const ReorderCount warm = backend->reorders();
  step();
  const ReorderCount after = backend->reorders();
  // The second convolution's weights, with input and output channels exchanged.
  EXPECT_EQ(after.count - warm.count, 1);
  EXPECT_EQ(after.bytes - warm.bytes, 32 * 32 * 9 * 4);
}

TEST_F(Block, BorrowsNoMemoryBeyondAStep) {
  step();
  const MemoryCount warm = backend->memory();
  backend->reset_peak();
  EXPECT_EQ(backend->memory().peak, warm.now);
  step();
  EXPECT_EQ(backend->memory().now, warm.now);
  // Beyond what stays: that copy of the weights.
  EXPECT_EQ(backend->memory().peak, warm.now + 32 * 32 * 9 * 4);
}

TEST(Memory, OfTensorsIsWhatTheirElementsTake) {
  const auto backend = backend_under_test();
  const auto before = backend->memory().now;
  const std::int64_t bytes =
      2 * 21 * 49 * static_cast<std::int64_t>(element_bytes(backend->element()));
  auto tensor = backend->tensor({2, 21, 1, 7, 7});
  EXPECT_EQ(backend->memory().now - before, bytes);
  auto buffer = backend->buffer(100);
  EXPECT_EQ(buffer->bytes(), 100);
  EXPECT_EQ(backend->memory().now - before, bytes + 100);
  tensor.reset();
  buffer.reset();
  EXPECT_EQ(backend->memory().now, before);
  EXPECT_EQ(backend->memory().peak, before + bytes + 100);
}

/// Two micro-batches go forward before the first goes backward.
class InFlight : public testing::TestWithParam<const char*> {};

TEST_P(InFlight, MicroBatchesKeepWhatIsTheirs) {
  const auto backend = backend_under_test();
  const Attributes attributes = std::string_view(GetParam()) == "pool"
                                    ? Attributes{{"kernel", 3}, {"stride", 2}}
                                    : Attributes{};
  const OneLayer one(GetParam(), {1, 16, 1, 9, 9}, attributes);
  const reference::Trial trials[] = {random_trial(one.whole(2), 1), random_trial(one.whole(2), 50)};
  const auto kernel = backend->kernel(trials[0].layer);
  const auto weights = backend->weights(trials[0].layer);
  write_weights(*weights, trials[0].weights);
  std::unique_ptr<Tensor> x[2], y[2];
  std::unique_ptr<Saved> saved[2];
  for (int i = 0; i < 2; ++i) {
    x[i] = tensor_of(*backend, trials[i].inputs[0]);
    y[i] = backend->tensor(trials[i].layer.output);
    saved[i] = kernel->saved();
    const std::vector<Tensor*> inputs = {x[i].get()};
    Call call;
    call.inputs = inputs;
    call.output = y[i].get();
    call.weights = weights.get();
    call.saved = saved[i].get();
    kernel->forward(call);
  }
  for (int i = 0; i < 2; ++i) {
    const auto dy = tensor_of(*backend, trials[i].output_gradient);
    const auto dx = backend->tensor(x[i]->extents());
    const std::vector<Tensor*> inputs = {x[i].get()};
    const std::vector<Tensor*> gradients = {dx.get()};
    Call call;
    call.inputs = inputs;
    call.output = y[i].get();
    call.output_gradient = dy.get();
    call.input_gradients = gradients;
    call.weights = weights.get();
    call.saved = saved[i].get();
    kernel->backward_data(call);
    reference::Trial trial = trials[i];
    trial.weights = trials[0].weights;
    EXPECT_LT(relative_error(values_of(*dx).of, reference::backward(trial).inputs[0].of),
              tolerance());
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, InFlight, testing::Values("pool", "batch_norm", "layer_norm"));

/// A second kernel of other geometry shares the first one's weights and saved maxima.
TEST(SharedWeights, ABackwardKernelOfAnotherGeometry) {
  const auto backend = backend_under_test();
  const OneLayer one("convolution", {1, 32, 1, 8, 8},
                     {{"features", 48}, {"kernel", 3}, {"pad", 1}});
  const reference::Trial forward = random_trial(one.whole(1));
  const auto weights = backend->weights(forward.layer);
  write_weights(*weights, forward.weights);
  const auto x = tensor_of(*backend, forward.inputs[0]);
  const auto y = backend->tensor(forward.layer.output);
  const std::vector<Tensor*> inputs = {x.get()};
  Call call;
  call.inputs = inputs;
  call.output = y.get();
  call.weights = weights.get();
  backend->kernel(forward.layer)->forward(call);

  LocalLayer slab = forward.layer;
  slab.inputs[0].height = 3;
  slab.output.height = 5;
  slab.window.pad_before[1] = slab.window.pad_after[1] = 2;
  reference::Trial backward = random_trial(slab, 9);
  backward.weights = forward.weights;
  const auto dy = tensor_of(*backend, backward.output_gradient);
  const auto dx = backend->tensor(slab.inputs[0]);
  const std::vector<Tensor*> gradients = {dx.get()};
  Call back;
  back.output_gradient = dy.get();
  back.input_gradients = gradients;
  back.weights = weights.get();
  backend->kernel(slab)->backward_data(back);
  EXPECT_LT(relative_error(values_of(*dx).of, reference::backward(backward).inputs[0].of),
            tolerance());
  EXPECT_EQ(value_of(*weights, 0), forward.weights[0]);
}

}  // namespace chain_test
}  // namespace oracle
