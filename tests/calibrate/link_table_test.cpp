#include "oracle/calibrate/link_table.h"

#include <gtest/gtest.h>

namespace oracle {
namespace link_table_test {

LinkPoint row(double message, double time) {
  return {Bytes{message}, Seconds{time}, Seconds{time}, Seconds{time}, 1};
}

double at(const std::vector<LinkPiece>& pieces, double message) {
  std::size_t found = 0;
  while (found + 1 < pieces.size() && pieces[found + 1].from.value <= message) ++found;
  return (pieces[found].latency + Bytes{message} / pieces[found].bandwidth).value;
}

TEST(LinkTable, WorkedNumber) {
  const std::vector<LinkPoint> table = {row(1000, 10e-6), row(2000, 12e-6)};
  const std::vector<LinkPiece> pieces = joined_pieces(table);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_NEAR(pieces[0].latency.value, 8e-6, 1e-15);
  EXPECT_NEAR(pieces[0].bandwidth.value, 0.5e9, 1);
  EXPECT_NEAR(at(pieces, 4000), 24e-6, 1e-15);
}

TEST(LinkTable, PiecesGoThroughTheRows) {
  const std::vector<LinkPoint> table = {row(1, 10e-6), row(100, 11e-6), row(10000, 90e-6),
                                        row(20000, 95e-6)};
  const std::vector<LinkPiece> pieces = joined_pieces(table);
  for (const LinkPoint& point : table) {
    EXPECT_NEAR(at(pieces, point.message.value), point.time.value, 1e-12);
  }
  for (std::size_t i = 1; i < pieces.size(); ++i) EXPECT_LT(pieces[i - 1].from, pieces[i].from);
}

TEST(LinkTable, TimesThatFallAreMadeLevel) {
  const std::vector<LinkPoint> table = {row(1, 40e-6), row(2, 10e-6), row(4, 80e-6)};
  const std::vector<LinkPiece> pieces = joined_pieces(table);
  EXPECT_NEAR(at(pieces, 1), 20e-6, 1e-7);  // sqrt(40·10)
  EXPECT_NEAR(at(pieces, 4), 80e-6, 1e-12);
  for (const LinkPiece& piece : pieces) EXPECT_GT(piece.bandwidth.value, 0);
}

TEST(LinkTable, NoLineCrossesZero) {
  const std::vector<LinkPiece> pieces = joined_pieces(std::vector{row(1, 1e-6), row(2, 10e-6)});
  EXPECT_EQ(pieces[0].latency.value, 0);
  EXPECT_NEAR(at(pieces, 2), 10e-6, 1e-12);
}

TEST(LinkTable, OneRowAndNone) {
  EXPECT_TRUE(joined_pieces({}).empty());
  EXPECT_NEAR(at(joined_pieces(std::vector{row(100, 5e-6)}), 100), 5e-6, 1e-12);
}

TEST(LinkTable, MediansOfASize) {
  std::vector<LinkSample> samples(3);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].operation = LinkOperation::all_reduce;
    samples[i].ranks = 2;
    samples[i].bytes = Bytes{2000};
    samples[i].median = samples[i].low = samples[i].high = Seconds{(1.0 + 9.0 * (i == 2)) * 2e-6};
  }
  const LinkSample* pointers[] = {&samples[0], &samples[1], &samples[2]};
  const std::vector<LinkPoint> table = link_table(pointers);
  ASSERT_EQ(table.size(), 1U);
  EXPECT_DOUBLE_EQ(table[0].message.value, 1000);
  EXPECT_DOUBLE_EQ(table[0].time.value, 1e-6);  // of one of the two messages
  EXPECT_EQ(table[0].samples, 3);
}

}  // namespace link_table_test
}  // namespace oracle
