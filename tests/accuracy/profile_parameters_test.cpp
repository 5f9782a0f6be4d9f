#include "oracle/accuracy/profile_parameters.h"

#include <gtest/gtest.h>

namespace oracle {
namespace profile_parameters_test {

const ProfileParameter* find(const std::vector<ProfileParameter>& all, const std::string& name,
                             const std::string& at) {
  for (const ProfileParameter& parameter : all) {
    if (parameter.key.name == name && parameter.key.at == at) return &parameter;
  }
  return nullptr;
}

Profile linked() {
  Profile profile;
  profile.links = {{.level = "node",
                    .pieces = {{Bytes{0}, Seconds{1e-6}, Bandwidth{5e9}, 0.1},
                               {Bytes{1 << 20}, Seconds{2e-6}, Bandwidth{10e9}, 0.2}},
                    .operation = "all_reduce",
                    .algorithm = "ring",
                    .least = Bytes{1024},
                    .most = Bytes{1 << 20},
                    .together = 1.5}};
  return profile;
}

TEST(ProfileParameters, WorkedNumberOfALink) {
  const auto all = parameters_of({}, linked());
  const std::string name = "all_reduce by ring over node";
  const ProfileParameter* message = find(all, name, "64.0 KiB");
  ASSERT_NE(message, nullptr);
  EXPECT_NEAR(message->value.value, 14.1072e-6, 1e-12);
  EXPECT_EQ(message->value.uncertainty, 0.1);
  EXPECT_EQ(find(all, name, "latency")->value.value, 1e-6);
  EXPECT_EQ(find(all, name, "bandwidth")->value.value, 10e9);
  EXPECT_EQ(find(all, name, "bandwidth")->value.uncertainty, 0.2);
  EXPECT_TRUE(find(all, name, "bandwidth")->key.more_is_faster);
  EXPECT_NEAR(find(all, name, "1.00 MiB")->value.value, 2e-6 + 1048576 / 10e9, 1e-15);
  EXPECT_EQ(find(all, name, "flows together")->value.value, 1.5);
  EXPECT_EQ(find(all, name, "8 B"), nullptr) << "shorter than any measured";
  EXPECT_EQ(find(all, name, "16.0 MiB"), nullptr) << "longer than any measured";
}

TEST(ProfileParameters, OverlapIsThereWhereLinksWereMeasured) {
  EXPECT_EQ(find(parameters_of({}, {}), "computation during an exchange", ""), nullptr);
  Profile profile = linked();
  profile.overlap = {0.25, 4};
  const auto all = parameters_of({}, profile);
  EXPECT_EQ(find(all, "computation during an exchange", "")->value.value, 1.25);
  EXPECT_EQ(find(all, "exchange during computation", "")->value.value, 5);
}

TEST(ProfileParameters, RanksOnAMemoryWaitForWhatTheirCachesDoNotHold) {
  Profile profile;
  profile.contention = {2, Bytes{1 << 20}, 0.01e-9, 0.04, 0.1};
  const auto all = parameters_of({}, profile);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].key.name, "compute of 2 co-running ranks");
  EXPECT_DOUBLE_EQ(all[0].value.value, 1.1);
  EXPECT_EQ(all[1].key.name, "waiting of 2 ranks on a memory");
  EXPECT_DOUBLE_EQ(all[1].value.value, 0.01e-9 * 15 * 1048576);
  EXPECT_EQ(all[1].value.uncertainty, 0.04);
  profile.contention.sharing = 0.4;
  const ParameterValue half = parameters_of({}, profile)[1].value;
  EXPECT_DOUBLE_EQ(half.value, 0.4 * 0.01e-9 * 15 * 1048576);
  EXPECT_EQ(half.uncertainty, 0.04);
}

TEST(ProfileParameters, FiguresOfADataSheetAreNone) {
  Cluster cluster;
  cluster.device.memory_bandwidth = Bandwidth{1e10};
  cluster.device.launch_overhead = Seconds{1e-6};
  cluster.device.sources = {{"memory_bandwidth", Source::measured, "copies"},
                            {"launch_overhead", Source::datasheet, "a table"}};
  const auto all = parameters_of(cluster, {});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].key.name, "memory_bandwidth");
  EXPECT_EQ(all[0].value.value, 1e10);
}

TEST(ProfileParameters, StorageHasALatencyWhereOneWasFound) {
  Profile profile;
  profile.storage = {{.operation = StorageOperation::decode, .workers = 2, .rate = Bandwidth{5e7}},
                     {.operation = StorageOperation::checkpoint,
                      .latency = Seconds{0.01},
                      .rate = Bandwidth{2e8}}};
  const auto all = parameters_of({}, profile);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(find(all, "decode by 2 workers", "rate")->value.value, 5e7);
  EXPECT_EQ(find(all, "checkpoint", "latency")->value.value, 0.01);
}

TEST(ProfileParameters, KernelsOfDifferentKeysHaveDifferentNames) {
  KernelKey plain;
  plain.kind = "convolution";
  plain.samples = 8;
  plain.input = {64, 1, 28, 28};
  plain.output = {128, 1, 14, 14};
  plain.kernel = {1, 3, 3};
  std::vector<KernelKey> keys(11, plain);
  keys[1].samples = 4;
  keys[2].inputs = 2;
  keys[3].input = {64, 28, 28, 1};
  keys[4].stride = {1, 2, 2};
  keys[5].dilation = {1, 2, 2};
  keys[6].groups = 2;
  keys[7].pass = 1;
  keys[8].type = DataType::bf16;
  keys[9].kernel = {3, 3, 1};
  keys[10].variant = "transposed";
  Profile profile;
  for (const KernelKey& key : keys) profile.kernels.push_back({key, {Seconds{1}}});
  const auto all = parameters_of({}, profile);
  ASSERT_EQ(all.size(), keys.size());
  EXPECT_EQ(all[0].key.name, "convolution forward fp32");
  EXPECT_EQ(all[0].key.at, "8×64x28x28 → 128x14x14 window 3x3");
  EXPECT_EQ(all[4].key.at, "8×64x28x28 → 128x14x14 window 3x3 stride 2x2");
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_NE(all[i].key, all[0].key) << i;
}

}  // namespace profile_parameters_test
}  // namespace oracle
