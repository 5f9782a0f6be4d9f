#include "oracle/base/quantity_text.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace oracle {
namespace quantity_text_test {

template <typename Parser>
QuantityError error_of(Parser parse, std::string_view text) {
  try {
    parse(text);
  } catch (const QuantityError& error) {
    return error;
  }
  ADD_FAILURE() << "accepted " << text;
  return {"", ""};
}

TEST(QuantityText, ReadsTheUnitsOfTheHeader) {
  EXPECT_EQ(parse_bandwidth("100 Gbit/s"), Bandwidth{12.5e9});
  EXPECT_EQ(parse_bandwidth("100 Gb/s"), Bandwidth{12.5e9});
  EXPECT_EQ(parse_bandwidth("100 Gbps"), Bandwidth{12.5e9});
  EXPECT_EQ(parse_bandwidth("100GBps"), Bandwidth{100e9});
  EXPECT_EQ(parse_bandwidth("12.5 GB/s"), Bandwidth{12.5e9});
  EXPECT_EQ(parse_bandwidth("1 GiB/s"), Bandwidth{1073741824.0});
  EXPECT_EQ(parse_seconds("1.5 us"), Seconds{1.5e-6});
  EXPECT_EQ(parse_seconds("20us"), Seconds{20e-6});
  EXPECT_EQ(parse_seconds("2 min"), Seconds{120});
  EXPECT_EQ(parse_seconds("1.5 h"), Seconds{5400});
  EXPECT_EQ(parse_seconds("0 s"), Seconds{0});
  EXPECT_EQ(parse_bytes("16 GiB"), Bytes{17179869184.0});
  EXPECT_EQ(parse_bytes("16 GB"), Bytes{16e9});
  EXPECT_EQ(parse_bytes("8 kbit"), Bytes{1000});
  EXPECT_EQ(parse_flop_rate("15.7 TFLOP/s"), FlopRate{15.7e12});
  EXPECT_EQ(parse_flop_rate("1e3 GFLOP/s"), FlopRate{1e12});
  EXPECT_EQ(parse_price("3.06 USD/h"), 3.06);
  EXPECT_EQ(parse_money("500USD"), 500);
  EXPECT_EQ(parse_power("300 W"), 300);
  EXPECT_EQ(parse_power("0.7 kW"), 700);
  EXPECT_EQ(parse_share("3 %"), 0.03);
  EXPECT_EQ(parse_share("12.5%"), 0.125);
}

TEST(QuantityText, ABareNumberIsToldItsUnit) {
  const QuantityError error = error_of(parse_bandwidth, "25");
  EXPECT_STREQ(error.what(), "\"25\" has no unit");
  EXPECT_EQ(error.remedy, "write \"25 GB/s\"");
  EXPECT_EQ(error_of(parse_seconds, "9").remedy, "write \"9 us\"");
  EXPECT_EQ(error_of(parse_bytes, "9  ").remedy, "write \"9 GiB\"");
}

TEST(QuantityText, AWrongUnitIsToldTheRightOne) {
  EXPECT_EQ(error_of(parse_bandwidth, "25 Gbs").remedy, "did you mean \"Gb/s\"?");
  EXPECT_EQ(error_of(parse_flop_rate, "15.7 TFLOPS").remedy, "did you mean \"TFLOP/s\"?");
  EXPECT_EQ(error_of(parse_bytes, "16 KB").remedy, "did you mean \"kB\"?");
  EXPECT_STREQ(error_of(parse_seconds, "3 GB").what(), "\"GB\" is not a unit of time");
}

TEST(QuantityText, RefusesWhatIsNoQuantity) {
  for (const char* text :
       {"",        " ",        "1e400 GB/s", "1e308 TB/s", "1e-400 GB/s", "-3 GB/s",
        "+3 GB/s", "nan GB/s", "inf GB/s",   "infinity",   "0x10 GB/s",   "1 GB/s ",
        " 1 GB/s", "1 GB/s/s", "1 GB",       "1,5 GB/s",   "1..5 GB/s",   ".5 GB/s",
        "GB/s",    "1\tGB/s",  "1 gb/s",     "1e GB/s",    "١ GB/s"}) {
    EXPECT_THROW(parse_bandwidth(text), QuantityError) << text;
  }
}

TEST(QuantityText, RefusesWhatNoMachineHas) {
  EXPECT_STREQ(error_of(parse_seconds, "1e300 h").what(), "\"1e300 h\" is out of range");
  EXPECT_STREQ(error_of(parse_bytes, "1.1e30 B").what(), "\"1.1e30 B\" is out of range");
  EXPECT_STREQ(error_of(parse_bandwidth, "1e-300 B/s").what(), "\"1e-300 B/s\" is out of range");
  EXPECT_EQ(parse_bytes("1e30 B"), Bytes{1e30});
  EXPECT_EQ(parse_bytes("0 B"), Bytes{0});
}

TEST(QuantityText, AMessageStaysOnOneShortLine) {
  const std::string long_text = std::string(100000, '\n') + "7";
  const QuantityError error = error_of(parse_bytes, long_text);
  EXPECT_LT(std::string(error.what()).size(), 200U);
  EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
}

TEST(QuantityText, CountsAreWholeAndBounded) {
  EXPECT_EQ(parse_count("1024", 1, 1024), 1024);
  EXPECT_EQ(parse_count("0", 0, 9), 0);
  for (const char* text :
       {"", "0", "1025", "-1", "+1", "1.0", "1e3", " 1", "1 ", "0x1", "99999999999999999999"}) {
    EXPECT_THROW(parse_count(text, 1, 1024), QuantityError) << text;
  }
}

TEST(QuantityText, WritesThreeDigits) {
  EXPECT_EQ(to_text(Seconds{0.012006}), "12.0 ms");
  EXPECT_EQ(to_text(Bytes{25.6e6}), "25.6 MB");
  EXPECT_EQ(to_text(Bandwidth{12.5e9}), "12.5 GB/s");
  EXPECT_EQ(to_text(FlopRate{15.7e12}), "15.7 TFLOP/s");
  EXPECT_EQ(to_text(Flops{4.0892e9}), "4.09 GFLOP");
  EXPECT_EQ(to_binary_text(Bytes{17071734784.0}), "15.9 GiB");
}

TEST(QuantityText, RoundsIntoTheNextUnit) {
  EXPECT_EQ(to_text(Bytes{999.96e6}), "1.00 GB");
  EXPECT_EQ(to_text(Bytes{999.4e6}), "999 MB");
  EXPECT_EQ(to_text(Bytes{99.96e6}), "100 MB");
  EXPECT_EQ(to_text(Bytes{9.996e6}), "10.0 MB");
  EXPECT_EQ(to_text(Seconds{59.97}), "1.00 min");
  EXPECT_EQ(to_text(Seconds{9.999e-4}), "1.00 ms");
  EXPECT_EQ(to_text(Seconds{7200}), "2.00 h");
  EXPECT_EQ(to_binary_text(Bytes{1023.7 * 1024}), "1.00 MiB");
  EXPECT_EQ(to_binary_text(Bytes{1010.0 * 1024}), "1010 KiB");
}

TEST(QuantityText, WritesTheEnds) {
  EXPECT_EQ(to_text(Seconds{0}), "0 s");
  EXPECT_EQ(to_text(Bytes{0}), "0 B");
  EXPECT_EQ(to_text(Bytes{512}), "512 B");
  EXPECT_EQ(to_text(Bytes{1}), "1 B");
  EXPECT_EQ(to_text(Bytes{-25.6e6}), "-25.6 MB");
  EXPECT_EQ(to_text(Seconds{0.25e-9}), "0.25 ns");
  EXPECT_EQ(to_text(Seconds{std::numeric_limits<double>::infinity()}), "inf h");
}

TEST(QuantityText, WhatIsWrittenReadsBackToThreeDigits) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-8.5, 17.5);
  for (int i = 0; i < 2000; ++i) {
    const double value = std::pow(10.0, exponent(random));
    const double again = parse_seconds(to_text(Seconds{value})).value;
    EXPECT_NEAR(again / value, 1, 0.005) << to_text(Seconds{value});
    if (value < 10) continue;
    EXPECT_NEAR(parse_bandwidth(to_text(Bandwidth{value})).value / value, 1, 0.0051);
    EXPECT_NEAR(parse_bytes(to_binary_text(Bytes{value})).value / value, 1, 0.0051);
  }
}

TEST(LargeCount, TakesADecimalPrefix) {
  EXPECT_EQ(parse_large_count("15T"), 15'000'000'000'000);
  EXPECT_EQ(parse_large_count("1.5G"), 1'500'000'000);
  EXPECT_EQ(parse_large_count("300B"), 300'000'000'000);
  EXPECT_EQ(parse_large_count("7"), 7);
  for (const char* text : {"", "T", "0", "-1G", "1e30", "nan", "5X", "1 T", "9999999999T"}) {
    EXPECT_THROW(parse_large_count(text), QuantityError) << text;
  }
}

}  // namespace quantity_text_test
}  // namespace oracle
