#include "microbench/kernels/cpu/reorders.h"

#include <gtest/gtest.h>
#include <vector>

#include "microbench/kernels/cpu/context.h"

namespace oracle {
namespace reorders_test {

using dnnl::memory;

memory::desc format(memory::format_tag tag) { return {{2, 32}, memory::data_type::f32, tag}; }

TEST(Reorders, EachIsLookedForOnce) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  Reorders reorders;
  const memory::desc rows = format(memory::format_tag::ab),
                     columns = format(memory::format_tag::ba);
  const Primitive& first = reorders.find(engine, rows, columns, false);
  EXPECT_EQ(&reorders.find(engine, rows, columns, false), &first);
  EXPECT_NE(&reorders.find(engine, columns, rows, false), &first);
  EXPECT_NE(&reorders.find(engine, rows, columns, true), &first);
  EXPECT_EQ(reorders.size(), 3U);
  EXPECT_EQ(&reorders.find(engine, rows, columns, false), &first) << "it stays where it is";
}

/// Formats of weights may have all extents and strides alike, and other blocks.
TEST(Reorders, FormatsThatDifferInTheirBlocksAreTwo) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  Reorders reorders;
  const memory::desc rows = format(memory::format_tag::ab);
  const memory::desc by16({2, 32, 1, 1}, memory::data_type::f32, memory::format_tag::aBcd16b);
  const memory::desc by8({2, 32, 1, 1}, memory::data_type::f32, memory::format_tag::aBcd8b);
  const memory::desc plain({2, 32, 1, 1}, memory::data_type::f32, memory::format_tag::abcd);
  EXPECT_NE(&reorders.find(engine, plain, by16, false), &reorders.find(engine, plain, by8, false));
  EXPECT_NE(&reorders.find(engine, plain, by16, false), &reorders.find(engine, rows, rows, false));
  const memory::dims weights = {32, 32, 3, 3};
  const auto f32 = memory::data_type::f32;
  const memory::desc straight(weights, f32, memory::format_tag::abcd);
  const memory::desc square(weights, f32, memory::format_tag::ABcd16b16a);
  const memory::desc other(weights, f32, memory::format_tag::ABcd16a16b);
  EXPECT_NE(&reorders.find(engine, straight, square, false),
            &reorders.find(engine, straight, other, false));
}

TEST(Reorders, AFormatFoundAgainCopiesOtherValuesAndAddsThem) {
  Context context(1);
  const memory::desc rows = format(memory::format_tag::ab),
                     columns = format(memory::format_tag::ba);
  std::vector<float> from(64), to(64, 0.5F);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
  std::vector<float> again(64);
  context.reorder(context.memory(rows, from.data()), context.memory(columns, again.data()));
  context.reorder(context.memory(rows, from.data()), context.memory(columns, to.data()), true);
  std::swap(from[0], from[33]);
  context.reorder(context.memory(rows, from.data()), context.memory(columns, again.data()));
  EXPECT_EQ(again[0], 33);
  EXPECT_EQ(again[3], 0) << "row 1, column 1";
  EXPECT_EQ(again[2], 1) << "row 0, column 1";
  EXPECT_EQ(to[3], 33.5F);
  EXPECT_EQ(context.reorders().count, 3);
}

}  // namespace reorders_test
}  // namespace oracle
