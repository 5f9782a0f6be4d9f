#include "oracle/io/published/kernels_reader.h"

#include <gtest/gtest.h>

namespace oracle {
namespace kernels_reader_test {

constexpr const char* kGood = R"({
  "schema": "oracle/published-kernels/1", "device": "v100-sxm2-16gb", "precision": "fp32",
  "set": "fit", "source": "a page",
  "products": [{"m": 5, "n": 6, "k": 7, "time": "8 us"}],
  "convolutions": [
    {"samples": 4, "channels": 3, "features": 2, "height": 9, "width": 8, "kernel_height": 5,
     "kernel_width": 1, "stride_width": 2, "pad_height": 1, "forward": "3 us", "weights": "4 us"}
  ]
})";

std::string problem_of(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  try {
    read_published_kernels(json::parse(text, "k.json"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "read without a problem";
}

TEST(KernelsReader, ReadsEveryMember) {
  const PublishedKernels published = read_published_kernels(json::parse(kGood, "k.json"));
  EXPECT_TRUE(published.fitted);
  EXPECT_EQ(published.device, "v100-sxm2-16gb");
  ASSERT_EQ(published.products.size(), 1U);
  EXPECT_EQ(published.products[0].k, 7);
  EXPECT_EQ(published.products[0].time, Seconds{8e-6});
  ASSERT_EQ(published.convolutions.size(), 1U);
  const PublishedConvolution& one = published.convolutions[0];
  using Pair = std::array<std::int64_t, 2>;
  EXPECT_EQ(one.map, (Pair{9, 8}));
  EXPECT_EQ(one.kernel, (Pair{5, 1}));
  EXPECT_EQ(one.stride, (Pair{1, 2}));
  EXPECT_EQ(one.pad, (Pair{1, 0}));
  EXPECT_EQ(one.times[0], Seconds{3e-6});
  EXPECT_FALSE(one.times[1].has_value());
}

TEST(KernelsReader, SaysWhatIsWrong) {
  EXPECT_NE(problem_of(kGood, ": 5,", ": 0,").find("/products/0/m"), std::string::npos);
  EXPECT_NE(problem_of(kGood, "8 us", "0 us").find("/products/0/time"), std::string::npos);
  EXPECT_NE(problem_of(kGood, "\"height\"", "\"hight\"").find("/convolutions/0"),
            std::string::npos);
}

/// The constants of GPU libraries are fitted on some devices and judged on others.
TEST(KernelsReader, EveryShippedFileIsRead) {
  std::size_t fitted = 0, judging = 0;
  for (const PublishedKernels& published : load_published_kernels()) {
    (published.fitted ? fitted : judging) += published.products.size();
  }
  EXPECT_GE(fitted, 800U);
  EXPECT_GE(judging, 800U);
}

}  // namespace kernels_reader_test
}  // namespace oracle
