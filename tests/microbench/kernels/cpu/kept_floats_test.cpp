#include "microbench/kernels/cpu/kept_floats.h"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "microbench/kernels/cpu/context.h"

namespace oracle {
namespace kept_floats_test {

using dnnl::memory;

memory::desc format(const memory::dims& dims, memory::format_tag tag) {
  return {dims, memory::data_type::f32, tag};
}

std::size_t floats_in(const memory::desc& format) { return format.get_size() / sizeof(float); }

/// What arrives in plain order of numbers that left in `kept`, through a dense message.
std::vector<float> sent(const memory::desc& plain, const memory::desc& stored,
                        const KeptFloats& kept) {
  Context context(1);
  std::vector<float> numbers(floats_in(plain)), arrived(numbers.size(), -1),
      message(numbers.size(), -1);
  std::iota(numbers.begin(), numbers.end(), 1.0F);
  std::vector<float> here(floats_in(stored)), there(here.size());
  context.reorder(context.memory(plain, numbers.data()), context.memory(stored, here.data()));
  gather(kept, here.data(), message.data());
  scatter(kept, message.data(), there.data());
  context.reorder(context.memory(stored, there.data()), context.memory(plain, arrived.data()));
  return arrived;
}

TEST(KeptFloats, WorkedExample) {
  const auto kept = kept_floats(format({1000, 32}, memory::format_tag::AB16b64a));
  EXPECT_EQ(kept, (KeptFloats{30720, 32, 40, 64}));
}

TEST(KeptFloats, AllArriveAndNoZeroIsSent) {
  const memory::dims matrix{1000, 48}, window{50, 16, 3, 3};
  for (const auto& [dims, plain, stored] :
       {std::tuple{matrix, memory::format_tag::ab, memory::format_tag::AB16b64a},
        {matrix, memory::format_tag::ab, memory::format_tag::AB16b16a},
        {window, memory::format_tag::abcd, memory::format_tag::ABcd16b16a},
        {window, memory::format_tag::abcd, memory::format_tag::Abcd16a},
        {memory::dims{64, 48}, memory::format_tag::ab, memory::format_tag::AB16b64a}}) {
    const auto kept = kept_floats(format(dims, stored));
    ASSERT_TRUE(kept.has_value());
    const std::vector<float> arrived = sent(format(dims, plain), format(dims, stored), *kept);
    for (std::size_t i = 0; i < arrived.size(); ++i) ASSERT_EQ(arrived[i], i + 1);
  }
}

/// Two dimensions filled up, one that is not outermost, and one whose block is not innermost.
TEST(KeptFloats, OtherFormatsAreNotKnown) {
  EXPECT_FALSE(kept_floats(format({18, 21, 3, 3}, memory::format_tag::ABcd16b16a)));
  EXPECT_FALSE(kept_floats(format({32, 21, 3, 3}, memory::format_tag::aBcd16b)));
  EXPECT_FALSE(kept_floats(format({18, 16, 3, 3}, memory::format_tag::ABcd16a16b)));
}

}  // namespace kept_floats_test
}  // namespace oracle
