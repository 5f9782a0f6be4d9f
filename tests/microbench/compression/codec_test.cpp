#include "microbench/compression/codec.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "oracle/base/error.h"
#include "oracle/plan/exchanges/gradient_exchange.h"
#include "tests/properties/random.h"

namespace oracle {
namespace codec_test {

struct Sent {
  std::vector<float> arrived, left;
};

Sent send(std::string_view exchange, std::vector<float> values) {
  const ChosenExchange chosen = chosen_exchange(exchange);
  const Codec& codec = codec_named(chosen.row->name);
  const auto bytes = chosen.packed(static_cast<std::int64_t>(values.size()));
  // What lies behind them is not to be written.
  std::vector<float> room(static_cast<std::size_t>((bytes + 3) / 4 + 1), -7);
  auto* to = reinterpret_cast<std::byte*>(room.data());
  codec.compress(values, chosen.parameter, to);
  EXPECT_EQ(room.back(), -7);
  Sent sent{std::vector<float>(values.size(), 0), values};
  codec.add(to, chosen.parameter, sent.arrived);
  std::vector<float> written(values.size(), -7);
  codec.write(to, chosen.parameter, written);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(written[i] == sent.arrived[i] || std::isnan(written[i])) << exchange << ' ' << i;
  }
  return sent;
}

std::vector<float> drawn(std::size_t count) {
  Random random(5);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.real(-1, 1));
  return values;
}

TEST(Codec, SaysWhatTheWorkedExampleSays) {
  const Sent int8 = send("int8", {1, -0.5F, 0.25F});
  EXPECT_FLOAT_EQ(int8.arrived[1], -64.0F / 127);
  EXPECT_NEAR(int8.left[1], 0.00394, 1e-5);
  const Sent onebit = send("onebit", {1, -0.5F, 0.25F});
  EXPECT_EQ(onebit.arrived, (std::vector<float>{0.625F, -0.5F, 0.625F}));
  EXPECT_EQ(onebit.left, (std::vector<float>{0.375F, 0, -0.375F}));
}

TEST(Codec, SelectsTheLargest) {
  const Sent two = send("topk:50%", {1, -3, 0.5F, 3});
  EXPECT_EQ(two.arrived, (std::vector<float>{0, -3, 0, 3}));
  EXPECT_EQ(two.left, (std::vector<float>{1, 0, 0.5F, 0}));
  EXPECT_EQ(send("topk:50%", {2, -2, 2, 2}).arrived, (std::vector<float>{2, -2, 0, 0}))
      << "of equal ones the first";
  std::vector<float> values = drawn(1500);
  const Sent sent = send("topk:3%", values);
  std::sort(values.begin(), values.end(),
            [](float one, float other) { return std::abs(one) > std::abs(other); });
  for (const float value : sent.arrived) {
    EXPECT_TRUE(value == 0 || std::abs(value) >= std::abs(values[44]));
  }
  EXPECT_EQ(std::count(sent.arrived.begin(), sent.arrived.end(), 0.0F), 1500 - 45);
}

struct Merged {
  std::vector<float> arrived, left_of_first;
};

Merged merge(std::vector<float> first, std::vector<float> second, double share) {
  const Codec& codec = codec_named("gtopk");
  const auto count = static_cast<std::int64_t>(first.size());
  const auto bytes = static_cast<std::size_t>(chosen_exchange("topk:100%").packed(count));
  std::vector<float> one(bytes / 4), other(bytes / 4), both(bytes / 4);
  const auto at = [](std::vector<float>& room) {
    return reinterpret_cast<std::byte*>(room.data());
  };
  codec.compress(first, share, at(one));
  codec.compress(second, share, at(other));
  codec.merge(at(one), at(other), count, share, at(both));
  std::vector<float> swapped = both;
  codec.merge(at(other), at(one), count, share, at(swapped));
  EXPECT_EQ(swapped, both) << "whichever comes first";
  Merged merged{std::vector<float>(first.size(), 0), first};
  codec.add(at(both), share, merged.arrived);
  codec.take_back(at(one), at(both), share, merged.left_of_first);
  return merged;
}

TEST(Codec, MergesWhatTwoSelected) {
  // Of 1, -3, 3 and 2 at places 0, 1, 1 and 3 the sums are 1, 0 and 2, of which two go on.
  const Merged merged = merge({1, -3, 0, 0}, {0, 3, 0, 2}, 0.5);
  EXPECT_EQ(merged.arrived, (std::vector<float>{1, 0, 0, 2}));
  EXPECT_EQ(merged.left_of_first, (std::vector<float>{0, -3, 0, 0})) << "for the next step";
  const std::vector<float> values = drawn(300);
  const Merged all = merge(values, values, 1);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(all.arrived[i], 2 * values[i]);
}

TEST(Codec, IsThereForEachExchangeThatCompresses) {
  for (const GradientExchange& row : all_gradient_exchanges()) {
    if (row.packed == nullptr) continue;
    EXPECT_EQ(codec_named(row.name).name, row.name);
  }
  EXPECT_THROW(codec_named("zip"), Defect);
}

TEST(Codec, LeavesWhatDidNotArrive) {
  for (const char* exchange : {"int8", "onebit", "topk:5%", "gtopk:5%"}) {
    for (const std::size_t count : {1U, 31U, 33U, 512U, 513U, 1500U}) {
      const std::vector<float> values = drawn(count);
      const Sent sent = send(exchange, values);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_NEAR(sent.arrived[i] + sent.left[i], values[i], 1e-6)
            << exchange << ' ' << count << ' ' << i;
      }
    }
  }
}

TEST(Codec, RoundsToItsBits) {
  const std::vector<float> values = drawn(1500);
  const auto worst = [&](const char* exchange) {
    float most = 0;
    for (const float left : send(exchange, values).left) most = std::max(most, std::abs(left));
    return most;
  };
  EXPECT_LE(worst("int8"), 0.5F / 127 + 1e-6F);
  EXPECT_LE(worst("onebit"), 1);
  EXPECT_GT(worst("onebit"), 0.3F) << "a sign says little";
}

TEST(Codec, SendsAllOfAllValues) {
  const std::vector<float> values = drawn(700);
  EXPECT_EQ(send("topk:100%", values).arrived, values);
}

TEST(Codec, HidesNoValueThatIsNotFinite) {
  for (const char* exchange : {"int8", "onebit", "topk:50%"}) {
    for (const float bad :
         {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
      EXPECT_FALSE(std::isfinite(send(exchange, {1, bad, 2}).arrived[1])) << exchange;
    }
  }
}

}  // namespace codec_test
}  // namespace oracle
