#include "validate/bench/watched_backend.h"

#include <gtest/gtest.h>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "microbench/kernels/cpu/cpu_tensor.h"
#include "oracle/graph/graph.h"

namespace oracle {
namespace watched_backend_test {

/// 16 channels, so that every block of oneDNN's fits.
constexpr Extents kExtents{1, 16, 1, 2, 2};

struct Watched {
  Watch watch;
  std::unique_ptr<Backend> inner = make_cpu_backend(1);
  std::unique_ptr<Backend> backend = watched(*inner, watch);

  std::unique_ptr<Tensor> tensor(std::int64_t block, float value) const {
    auto made = backend->tensor(kExtents);
    cpu(made.get()).rewrite(block);
    const std::vector<float> values(static_cast<std::size_t>(kExtents.elements()), value);
    made->unpack({{0, 0, 0, 0, 0}, kExtents}, values.data());
    return made;
  }
};

Layer addition() {
  Layer layer;
  layer.name = "sum";
  layer.kind = &require_kind("add");
  return layer;
}

TEST(WatchedBackend, AConvertedOperandIsAnAvoidableReorder) {
  Watched at;
  const Layer layer = addition();
  LocalLayer local;
  local.layer = &layer;
  local.inputs = {kExtents, kExtents};
  local.output = kExtents;
  const auto kernel = at.backend->kernel(local);
  const auto first = at.tensor(16, 1), second = at.tensor(1, 2), sum = at.tensor(16, 0);
  std::vector<Tensor*> inputs{first.get(), second.get()};
  Call call;
  call.inputs = inputs;
  call.output = sum.get();
  kernel->forward(call);
  ASSERT_EQ(at.watch.reorders.size(), 1U);
  const ActivationReorder& reorder = at.watch.reorders.front();
  EXPECT_EQ(reorder.layer, "sum");
  EXPECT_EQ(reorder.from_block, 1);
  EXPECT_EQ(reorder.to_block, 16);
  EXPECT_EQ(reorder.bytes, 16 * 4 * 4);
  EXPECT_TRUE(reorder.avoidable());
  const PassTime& time = at.watch.passes.at({"sum", Pass::forward});
  EXPECT_EQ(time.reorders.count, 1);
  EXPECT_GT(time.seconds, 0);

  kernel->forward(call);
  EXPECT_EQ(at.watch.reorders.size(), 1U) << "the second time it lies in blocks already";
}

TEST(WatchedBackend, SoIsATermOfASumOfGradients) {
  Watched at;
  const auto sum = at.tensor(16, 1), like = at.tensor(16, 2), unlike = at.tensor(1, 2);
  at.backend->add(*sum, *like);
  EXPECT_TRUE(at.watch.reorders.empty());
  at.backend->add(*sum, *unlike);
  ASSERT_EQ(at.watch.reorders.size(), 1U);
  EXPECT_TRUE(at.watch.reorders.front().avoidable());
}

TEST(WatchedBackend, FlatteningNeedsThePlainOrder) {
  EXPECT_FALSE(
      (ActivationReorder{"f", "flatten", Pass::forward, 16, 1, 4, false, false}.avoidable()));
  EXPECT_TRUE(
      (ActivationReorder{"n", "batch_norm", Pass::forward, 16, 1, 4, false, false}.avoidable()));
}

}  // namespace watched_backend_test
}  // namespace oracle
