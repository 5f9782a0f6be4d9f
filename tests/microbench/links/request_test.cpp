#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "microbench/links/program.h"
#include "oracle/base/error.h"

namespace oracle {
namespace links_request_test {

using testing::HasSubstr;

LinksRequest read(std::vector<const char*> words) { return read_links_request(words); }

std::string refusal(std::vector<const char*> words) {
  try {
    read(std::move(words));
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

TEST(LinksRequest, Defaults) {
  const LinksRequest full = read({"--out", "x.json"});
  EXPECT_EQ(full.largest, Bytes{1e9});
  EXPECT_EQ(full.seconds, 300);
  const LinksRequest quick = read({"--quick", "--out", "x.json"});
  EXPECT_EQ(quick.largest, Bytes{64e6});
  EXPECT_LE(quick.seconds, 60);
}

TEST(LinksRequest, WhatIsSaidComesBeforeQuick) {
  const LinksRequest request =
      read({"--seconds", "7.5", "--largest", "1 MB", "--quick", "--watchdog", "9", "--out", "x"});
  EXPECT_EQ(request.seconds, 7.5);
  EXPECT_EQ(request.largest, Bytes{1e6});
  EXPECT_EQ(request.watchdog, 9);
  EXPECT_EQ(request.ranks, std::nullopt);
  EXPECT_EQ(read({"--ranks=4", "--out", "x"}).ranks, 4);
  EXPECT_EQ(request.device, "cpu");
  EXPECT_EQ(read({"--device", "gpu", "--out", "x"}).device, "gpu");
}

TEST(LinksRequest, EveryProblemIsSaid) {
  const std::string text = refusal({"--seconds", "0", "--largest", "25", "--out", "x"});
  EXPECT_THAT(text, HasSubstr("--seconds: \"0\" is not a number above 0"));
  EXPECT_THAT(text, HasSubstr("--largest: \"25\" has no unit"));
  EXPECT_THAT(refusal({"--watchdog", "0.5", "--out", "x"}),
              HasSubstr("--watchdog: is not between 1 and a million seconds"));
  EXPECT_THAT(refusal({"--seconds", "1e7", "--out", "x"}), HasSubstr("--seconds: is not between"));
  EXPECT_THAT(refusal({"--colour"}), HasSubstr("\"--colour\" is not an option"));
  EXPECT_THAT(refusal({"--quick"}), HasSubstr("--out is missing; write --out FILE"));
  EXPECT_THAT(refusal({"--ranks", "1", "--out", "x"}),
              HasSubstr("--ranks: a single one has no partner; write 2 or more"));
  EXPECT_THAT(refusal({"--ranks", "two", "--out", "x"}), HasSubstr("--ranks: \"two\""));
  EXPECT_THAT(refusal({"--out"}), HasSubstr("--out: has no value"));
  EXPECT_THAT(refusal({"--device", "tpu", "--out", "x"}),
              HasSubstr("--device: \"tpu\" is not a choice"));
  EXPECT_THAT(refusal({"--out", "x", "--largest", "1 TB"}), HasSubstr("between 4 B and 1 GiB"));
}

}  // namespace links_request_test
}  // namespace oracle
