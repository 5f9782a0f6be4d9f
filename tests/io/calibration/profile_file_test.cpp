#include "oracle/io/calibration/profile_file.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/clusters/here.h"
#include "tests/cli/console.h"

namespace oracle {
namespace profile_file_test {

KernelKey key_of_samples(std::int64_t samples) {
  KernelKey key;
  key.kind = "convolution";
  key.samples = samples;
  key.input = {64, 1, 28, 28};
  key.output = {128, 1, 14, 14};
  key.kernel = {1, 3, 3};
  key.stride = {1, 2, 2};
  key.contraction = true;
  return key;
}

ProfileFile example() {
  ProfileFile file;
  file.measured = {{"device", "a processor"}, {"date", "2026-11-21"}};
  file.cluster = describe_host("", "", 2);
  Profile& profile = file.profile;
  profile.name = "mine";
  profile.overlap = {0.125, 3};
  profile.contention = {2, Bytes{1 << 20}, 0.01e-9, 0.04, 0.1, 0.4};
  profile.staging = {{Bytes{1 << 20}, Bandwidth{9e9}, Bandwidth{8e9}},
                     {Bytes{1 << 26}, Bandwidth{5e9}, Bandwidth{4e9}}};
  KernelFit fit;
  fit.family = "convolution";
  fit.plain = {Seconds{1.25e-6}, 1e-11, 3e-10, {{32768, 1e-10}, {1e6, 2e-10}}};
  fit.mean = -0.1;
  fit.deviation = 0.3;
  fit.noise = 0.05;
  fit.lengths.fill(4);
  fit.spread = 1.7;
  fit.median_error = 0.08;
  fit.high_error = 0.3;
  fit.outliers = 1;
  for (const std::int64_t samples : {1, 2, 8}) {
    profile.kernels.push_back(
        {key_of_samples(samples),
         {Seconds{1e-3 / 3 * static_cast<double>(samples)}, Source::measured, 0.03}});
    fit.points.push_back(
        {features_of(key_of_samples(samples)), 0.1 * static_cast<double>(samples)});
  }
  profile.fits = {fit};
  KernelKey attention;
  attention.kind = "gate";  // after "convolution"
  attention.entries = 4;
  attention.others = 4096;
  profile.kernels.push_back({attention, {Seconds{1e-3}, Source::measured, 0.03}});
  LinkFit link{.level = "machine", .pieces = {{Bytes{0}, Seconds{1e-6}, Bandwidth{5e9}, 0.1}}};
  link.ranks = 4;
  link.per_unit = 2;
  link.table = {{Bytes{4}, Seconds{1e-6}, Seconds{0.9e-6}, Seconds{1.2e-6}, 7}};
  profile.links = {link};
  profile.storage = {
      {.operation = StorageOperation::decode,
       .workers = 4,
       .rate = Bandwidth{5e7},
       .uncertainty = 0.1,
       .least = Bytes{150528},
       .most = Bytes{150528},
       .samples = 30},
      {.operation = StorageOperation::read_random, .cached = true, .rate = Bandwidth{1e9}},
      {.operation = StorageOperation::checkpoint,
       .latency = Seconds{0.01},
       .rate = Bandwidth{2e8}}};
  return file;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

std::string refusal(const std::string& text) {
  try {
    read_profile(json::parse(text, "p.json"));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(ProfileFile, AFitOfNoKernelsComesBack) {
  ProfileFile file = example();
  file.profile.kernels.clear();
  file.profile.fits.front().points.clear();
  const ProfileFile read = read_profile(json::parse(write_profile(file), "p.json"));
  EXPECT_EQ(read.profile.fits, file.profile.fits);
}

TEST(ProfileFile, WhatIsWrittenComesBack) {
  const ProfileFile file = example();
  const ProfileFile read = read_profile(json::parse(write_profile(file), "p.json"));
  EXPECT_EQ(read.measured, file.measured);
  EXPECT_EQ(read.cluster.device.memory, file.cluster.device.memory);
  EXPECT_EQ(read.profile.name, "mine");
  EXPECT_EQ(read.profile.overlap, file.profile.overlap);
  EXPECT_EQ(read.profile.contention, file.profile.contention);
  EXPECT_EQ(read.profile.staging, file.profile.staging);
  ASSERT_EQ(read.profile.kernels.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(read.profile.kernels[i].key, file.profile.kernels[i].key);
    EXPECT_EQ(read.profile.kernels[i].cost, file.profile.kernels[i].cost);
  }
  EXPECT_EQ(read.profile.fits, file.profile.fits);
  ASSERT_EQ(read.profile.links.size(), 1U);
  EXPECT_EQ(read.profile.links[0].ranks, 4);
  EXPECT_EQ(read.profile.links[0].per_unit, 2);
  EXPECT_EQ(read.profile.links[0].table, file.profile.links[0].table);
  EXPECT_EQ(read.profile.links[0].pieces[0].bandwidth, Bandwidth{5e9});
  EXPECT_EQ(read.profile.storage, file.profile.storage);
  EXPECT_EQ(write_profile(read), write_profile(file));
}

TEST(ProfileFile, CopiesMayHaveOneRateForAllSizesAndBothWays) {
  ProfileFile file = example();
  file.profile.staging = {{Bytes{1}, Bandwidth{5e9}, Bandwidth{5e9}}};
  const std::string list =
      "[\n    {\"bytes\":1.0,\"pack\":5000000000.0,\"unpack\":5000000000.0}\n  ]";
  const std::string plain = replaced(write_profile(file), list, "5e9");
  EXPECT_EQ(read_profile(json::parse(plain, "p.json")).profile.staging, file.profile.staging);
  const std::string one = replaced(write_profile(file), list, "[{\"bytes\": 1, \"rate\": 5e9}]");
  EXPECT_EQ(read_profile(json::parse(one, "p.json")).profile.staging, file.profile.staging);
  const auto with = [&](const char* staging) {
    return refusal(replaced(write_profile(file), list, staging));
  };
  EXPECT_EQ(with("0"), "");
  EXPECT_EQ(with("[]"), "");
  EXPECT_NE(with("\"fast\"").find("/staging"), std::string::npos);
  EXPECT_NE(with("[{\"bytes\": 0, \"rate\": 1}]").find("is nothing"), std::string::npos);
  EXPECT_NE(with("[{\"bytes\": 1, \"pack\": 1}]").find("is nothing"), std::string::npos);
  EXPECT_NE(
      with("[{\"bytes\": 2, \"rate\": 1}, {\"bytes\": 2, \"rate\": 1}]").find("sort the sizes"),
      std::string::npos);
}

TEST(ProfileFile, IsAClusterToo) {
  const cli::Scratch scratch;
  const std::string name = scratch.file("mine.json", write_profile(example()));
  EXPECT_EQ(load_cluster(name).ranks_per_device, 2);
  EXPECT_EQ(load_profile(name).kernels.size(), 4U);
  EXPECT_TRUE(load_profile("abci").kernels.empty());
  EXPECT_TRUE(load_profile("here").kernels.empty());
}

TEST(ProfileFile, WeightsAreThoseOfAFitThatGoesThroughItsPoints) {
  ProfileFile file = example();
  for (KernelPoint& point : file.profile.fits.front().points) point.weight = 3e5;
  EXPECT_EQ(refusal(write_profile(file)), "");
  for (KernelPoint& point : file.profile.fits.front().points) point.weight = 4e5;
  EXPECT_NE(refusal(write_profile(file)).find("too large for any fit"), std::string::npos);
}

TEST(ProfileFile, ProblemsNameTheirPlace) {
  const std::string text = write_profile(example());
  EXPECT_EQ(refusal(text), "");
  EXPECT_NE(refusal(replaced(text, R"("pass":"forward")", R"("pass":"backward")"))
                .find("/kernels/0/pass"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(text, "\"weights\":[", "\"weights\":[1,")).find("for the 3 kernels"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(text, R"("samples":8)", R"("samples":1)")).find("does not come after"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(text, R"("input":[64,)", R"("input":[0,)")).find("/kernels/0/input"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(text, R"("bandwidth":5000000000.0)", R"("bandwidth":0)")), "");
  for (const char* absurd : {R"("bandwidth":1e-308)", R"("bandwidth":1e29)"}) {
    EXPECT_NE(refusal(replaced(text, R"("bandwidth":5000000000.0)", absurd)), "") << absurd;
  }
  EXPECT_NE(refusal(replaced(text, R"("rate":50000000.0)", R"("rate":0)")).find("/storage/0/rate"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(text, R"("checkpoint")", R"("checkpoints")")).find("did you mean"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(text, R"("lengths":[4.0,)", R"("lengths":[0,)")).find("lengths"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(text, "oracle/profile/1", "oracle/profile/9")).find("schema"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(text, R"("noise":)", R"("nose":)")).find("unknown key"),
            std::string::npos);
}

}  // namespace profile_file_test
}  // namespace oracle
