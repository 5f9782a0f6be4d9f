#include "oracle/plan/layout/parts.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace oracle {
namespace parts_test {

using Degrees = std::vector<std::int64_t>;

PartOrder order(std::initializer_list<std::size_t> axes) {
  PartOrder made;
  for (const std::size_t axis : axes) made.push_back(axis);
  return made;
}

TEST(Parts, WorkedExample) {
  const Degrees degrees = {2, 2};
  const Parts rows{7, 1, order({0, 1}), degrees};
  EXPECT_EQ(rows.count(), 4);
  EXPECT_EQ(rows.begin_of(1), 1);
  EXPECT_EQ(rows.begin_of(4), 7);
  EXPECT_EQ(largest_share(rows, 0b11), 2);
  EXPECT_EQ(largest_share(rows, 0b01), 4);
  EXPECT_EQ(largest_share(rows, 0b10), 4);
  EXPECT_EQ(most_renumbered(rows, order({1})), 2);
}

TEST(Parts, AShareOfPartsThatLieApartMayBeMoreThanAnEvenOne) {
  // 6 rows over 2×2 are parts of 1, 2, 1, 2: the inner axis alone takes 2 or 4 of them.
  const Degrees degrees = {2, 2};
  EXPECT_EQ(largest_share({6, 1, order({0, 1}), degrees}, 0b10), 4);
}

TEST(Parts, GrainsStayTogether) {
  const Degrees degrees = {2};
  const Parts features{12, 4, order({0}), degrees};
  EXPECT_EQ(features.begin_of(1), 4);
  EXPECT_EQ(largest_share(features, 0b1), 8);
}

TEST(Parts, InTheirOwnOrderNothingMoves) {
  const Degrees degrees = {2, 3, 2};
  const Parts parts{25, 1, order({0, 1, 2}), degrees};
  EXPECT_EQ(most_renumbered(parts, order({0, 1, 2})), 0);
  EXPECT_EQ(most_renumbered(parts, order({0, 1})), 0);  // the innermost cut is given up
}

/// Who holds each position, by the digits of its part over `axes`.
std::vector<std::int64_t> holders(const Parts& parts, const PartOrder& axes) {
  std::vector<std::int64_t> holder;
  for (std::int64_t part = 0; part < parts.count(); ++part) {
    std::vector<std::int64_t> digits(parts.degrees.size(), 0);
    std::int64_t left = part;
    for (std::size_t i = parts.order.size(); i-- > 0; left /= parts.degrees[parts.order[i]]) {
      digits[parts.order[i]] = left % parts.degrees[parts.order[i]];
    }
    std::int64_t number = 0;
    for (const std::size_t a : axes) number = number * parts.degrees[a] + digits[a];
    holder.resize(static_cast<std::size_t>(parts.begin_of(part + 1)), number);
  }
  return holder;
}

TEST(Parts, AgreeWithListingEveryPosition) {
  const Degrees degrees = {3, 2, 2};
  for (std::int64_t extent = 12; extent <= 40; ++extent) {
    const Parts parts{extent, 1, order({1, 2, 0}), degrees};
    for (const PartOrder& axes : {order({0}), order({2}), order({0, 2}), order({0, 1, 2})}) {
      AxisSet over = 0;
      std::int64_t shares = 1;
      for (const std::size_t a : axes) over |= AxisSet{1} << a;
      for (const std::size_t a : axes) shares *= degrees[a];
      const std::vector<std::int64_t> now = holders(parts, axes);
      const std::vector<std::int64_t> then = holders({extent, 1, axes, degrees}, axes);
      std::int64_t most = 0, moved = 0;
      for (std::int64_t rank = 0; rank < shares; ++rank) {
        most = std::max<std::int64_t>(most, std::count(now.begin(), now.end(), rank));
        std::int64_t sent = 0;
        for (std::size_t i = 0; i < now.size(); ++i) sent += now[i] == rank && then[i] != rank;
        moved = std::max(moved, sent);
      }
      EXPECT_EQ(largest_share(parts, over), most) << extent;
      EXPECT_EQ(most_renumbered(parts, axes), moved) << extent;
    }
  }
}

}  // namespace parts_test
}  // namespace oracle
