#include "oracle/base/units.h"

#include <concepts>
#include <gtest/gtest.h>

namespace oracle {
namespace units_test {

template <typename A, typename B>
concept Addable = requires(A a, B b) {
  a + b;
};
template <typename A, typename B>
concept Comparable = requires(A a, B b) {
  a < b;
};

static_assert(Addable<Seconds, Seconds>);
static_assert(!Addable<Seconds, Bytes>);
static_assert(!Addable<Bandwidth, FlopRate>);
static_assert(!Addable<Seconds, double>);
static_assert(!Comparable<Seconds, Bytes>);
static_assert(!std::convertible_to<double, Seconds>);
static_assert(!std::convertible_to<Seconds, double>);

static_assert(std::same_as<decltype(Bytes{} / Bandwidth{}), Seconds>);
static_assert(std::same_as<decltype(Bytes{} / Seconds{}), Bandwidth>);
static_assert(std::same_as<decltype(Bandwidth{} * Seconds{}), Bytes>);
static_assert(std::same_as<decltype(Flops{} / FlopRate{}), Seconds>);
static_assert(std::same_as<decltype(Seconds{} / Seconds{}), double>);
static_assert(std::same_as<decltype(Bandwidth{} * (Seconds{} / Bytes{})), double>);

TEST(Units, BytesOverBandwidthAreSeconds) {
  EXPECT_EQ(Bytes{8e6} / Bandwidth{1e9}, Seconds{0.008});
}

TEST(Units, RatiosArePlainNumbers) { EXPECT_EQ(Seconds{3} / Seconds{2}, 1.5); }

TEST(Units, AddUpAndScale) {
  Bytes bytes{10};
  bytes += Bytes{5};
  bytes -= Bytes{1};
  EXPECT_EQ(bytes, Bytes{14});
  EXPECT_EQ(Bytes{10} + Bytes{5} - Bytes{1}, Bytes{14});
  EXPECT_EQ(2 * Bytes{7}, Bytes{14});
  EXPECT_EQ(Bytes{7} * 2, Bytes{14});
  EXPECT_EQ(Bytes{28} / 2.0, Bytes{14});
  EXPECT_EQ(Bandwidth{4} * Seconds{3.5}, Bytes{14});
}

TEST(Units, OrderByValue) {
  EXPECT_LT(Seconds{1e-6}, Seconds{1e-3});
  EXPECT_EQ(Seconds{}, Seconds{0});
}

}  // namespace units_test
}  // namespace oracle
