#include "validate/data/order.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace oracle {
namespace order_test {

TEST(Order, EveryPassTakesEveryImageOnce) {
  for (const std::int64_t images : {1, 2, 3, 4, 5, 17, 64, 100, 257}) {
    for (const std::int64_t pass : {0, 1, 7}) {
      std::set<std::int64_t> seen;
      for (std::int64_t i = 0; i < images; ++i) {
        const std::int64_t image = image_of(1, pass * images + i, images);
        ASSERT_GE(image, 0);
        ASSERT_LT(image, images);
        seen.insert(image);
      }
      EXPECT_EQ(static_cast<std::int64_t>(seen.size()), images) << "pass " << pass;
    }
  }
}

TEST(Order, FollowsSeedAndPass) {
  const auto order = [](std::uint64_t seed, std::int64_t pass) {
    std::vector<std::int64_t> images;
    for (std::int64_t i = 0; i < 100; ++i) images.push_back(image_of(seed, pass * 100 + i, 100));
    return images;
  };
  EXPECT_EQ(order(3, 0), order(3, 0));
  EXPECT_NE(order(3, 0), order(3, 1));
  EXPECT_NE(order(3, 0), order(4, 0));
}

/// The first place goes to every image about as often: χ² of 99 degrees of freedom is below 149 in
/// 999 of 1000 draws (tables of the distribution).
TEST(Order, FavorsNoImage) {
  constexpr std::int64_t kImages = 100;
  constexpr int kDraws = 10'000;
  std::vector<double> counts(kImages, 0);
  for (int pass = 0; pass < kDraws; ++pass) {
    ++counts[static_cast<std::size_t>(image_of(5, pass * kImages, kImages))];
  }
  double chi_square = 0;
  for (const double count : counts) {
    const double expected = static_cast<double>(kDraws) / kImages;
    chi_square += (count - expected) * (count - expected) / expected;
  }
  EXPECT_LT(chi_square, 149);
}

}  // namespace order_test
}  // namespace oracle
