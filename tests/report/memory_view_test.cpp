#include "oracle/report/memory_view.h"

#include <gtest/gtest.h>

#include "tests/report/fixtures.h"

namespace oracle::report {
namespace memory_view_test {

TEST(MemoryView, DrawsTheCourse) {
  const std::vector<Bytes> bytes = {Bytes{1024}, Bytes{4096}, Bytes{2048}, Bytes{0}};
  EXPECT_EQ(memory_course(bytes, 4).lines,
            (std::vector<std::string>{"4.00 KiB | #  ", "         | #  ", "         | ## ",
                                      "         |### ", "       0 +----"}));
}

TEST(MemoryView, LongCoursesKeepTheirPeak) {
  std::vector<Bytes> bytes(1000, Bytes{1});
  bytes[777] = Bytes{1024};
  const Figure figure = memory_course(bytes);
  EXPECT_TRUE(figure.lines.front().starts_with("1.00 KiB |"));
  EXPECT_EQ(figure.lines.front().find('#'), 10U + 777U * 80U / 1000U);
  EXPECT_EQ(figure.lines.back(), "       0 +" + std::string(80, '-'));
}

TEST(MemoryView, NothingIsNotDrawn) {
  EXPECT_TRUE(memory_course({}).lines.empty());
  EXPECT_TRUE(memory_course(std::vector<Bytes>(3)).lines.empty());
}

TEST(MemoryView, SaysWhereThePeakLies) {
  Evaluation evaluation = fitting();
  Footprint& memory = std::get<Fits>(evaluation.result).memory;
  memory.peak_layer = 3;
  memory.peak_pass = Pass::backward_data;
  const Fields fields = peak_fields(small_graph(), evaluation);
  EXPECT_EQ(fields.rows.at(0).cell.text, "backward data of fc");
}

std::string text_of(const Fields& fields, std::string_view key) {
  for (const Field& row : fields.rows) {
    if (row.key == key) return row.cell.text;
  }
  return {};
}

TEST(MemoryView, SaysWhatIsAllocatedAndWhatTheAllocatorMayTake) {
  Evaluation evaluation = fitting();
  evaluation.training.precision = precision_named("bf16");
  evaluation.training.optimizer = optimizer_named("adam");
  Footprint& memory = std::get<Fits>(evaluation.result).memory;
  memory.bytes = {};
  memory.bytes[static_cast<std::size_t>(MemoryUse::gradients)] = Bytes{0x1p33};
  memory.bytes[static_cast<std::size_t>(MemoryUse::context)] = Bytes{0x1p30};
  memory.available = Bytes{0x1p34};
  Fields fields = peak_fields(small_graph(), evaluation);
  EXPECT_EQ(text_of(fields, "memory_largest"), "gradients");
  EXPECT_EQ(text_of(fields, "memory_allocated"), "8.00 GiB");
  EXPECT_EQ(text_of(fields, "memory_reserved"), "") << "nothing is known of it";
  EXPECT_EQ(text_of(fields, "state_per_parameter"),
            "16 B: weights 2, gradients 2, master copy 4, moments 8");
  evaluation.training.precision = precision_named("fp8");
  EXPECT_EQ(text_of(peak_fields(small_graph(), evaluation), "state_per_parameter"),
            "16 B: weights 2, gradients 2, master copy 4, moments 8");
  evaluation.training.precision = precision_named("fp4");
  EXPECT_EQ(text_of(peak_fields(small_graph(), evaluation), "state_per_parameter"),
            "16 B: weights 2 (linears 1.12), gradients 2, master copy 4, moments 8");
  memory.least_reserved = Bytes{0x1p33 * 1.125};
  memory.most_reserved = Bytes{0x1p33 * 1.25};
  fields = peak_fields(small_graph(), evaluation);
  EXPECT_EQ(text_of(fields, "memory_reserved"), "9.00 GiB to 10.0 GiB");
  memory.most_reserved = Bytes{0x1p34};
  fields = peak_fields(small_graph(), evaluation);
  EXPECT_EQ(text_of(fields, "memory_reserved"),
            "9.00 GiB to 16.0 GiB, and there are 15.0 GiB: it may run out");
}

TEST(MemoryView, SaysWhatLiesOnTheHost) {
  Evaluation evaluation = fitting();
  Footprint& memory = std::get<Fits>(evaluation.result).memory;
  EXPECT_EQ(text_of(peak_fields(small_graph(), evaluation), "memory_on_host"), "");
  memory.on_host = Bytes{0x1p33};
  memory.host_available = Bytes{0x1p35};
  EXPECT_EQ(text_of(peak_fields(small_graph(), evaluation), "memory_on_host"),
            "8.00 GiB of 32.0 GiB");
}

}  // namespace memory_view_test
}  // namespace oracle::report
