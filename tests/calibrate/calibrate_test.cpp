#include "oracle/calibrate/calibrate.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/io/clusters/here.h"

namespace oracle {
namespace calibrate_calibrate_test {

CalibrationSamples samples_of(const char* device) {
  CalibrationSamples samples;
  samples.contexts = {{{"device", device}, {"clock", "processor"}}};
  for (int i = 0; i < 6; ++i) {
    KernelSample sample;
    sample.layer = parse_layer_case("add " + std::to_string(1 << i) + ":64x8x8+64x8x8");
    const double seconds = 1e-6 * (1 << i);
    sample.time = {Seconds{seconds}, Seconds{seconds}, Seconds{seconds}, 9};
    samples.kernels.push_back(sample);
  }
  return samples;
}

TEST(Calibrate, KernelsBecomeATableAndAFit) {
  const Calibration found = calibrate(samples_of("a processor"), describe_host("", "", 2), "mine");
  const Profile& profile = found.file.profile;
  EXPECT_EQ(profile.name, "mine");
  EXPECT_EQ(profile.kernels.size(), 6U);
  ASSERT_EQ(profile.fits.size(), 1U);
  EXPECT_LT(profile.fits[0].median_error, 0.05);
  EXPECT_EQ(found.file.measured.front().second, "a processor");
}

TEST(Calibrate, MeasuredFiguresReplaceThoseAssumed) {
  CalibrationSamples samples = samples_of("a processor");
  const Seconds second{1};
  const Seconds tenth{0.1};
  samples.copies = {{1, Bytes{4e9}, {second, second, second, 5}, second, second},
                    {2, Bytes{3e9}, {second, second, second, 5}, Seconds{0.5}, Seconds{1.5}},
                    {2, Bytes{1e9}, {tenth, tenth, tenth, 5}, tenth, tenth}};
  const Calibration found = calibrate(samples, describe_host("", "", 2), "mine");
  const Cluster& machine = found.file.cluster;
  EXPECT_DOUBLE_EQ(machine.device.memory_bandwidth.value, 12e9);
  const std::vector<CopySpeed> one_beside_the_other = {
      {Bytes{1e9}, Bandwidth{1e10}, Bandwidth{1e10}}, {Bytes{3e9}, Bandwidth{6e9}, Bandwidth{2e9}}};
  EXPECT_EQ(found.file.profile.staging, one_beside_the_other);
  for (const FigureSource& source : machine.device.sources) {
    EXPECT_TRUE(source.figure != "memory_bandwidth" || source.kind == Source::measured);
  }
  EXPECT_TRUE(
      std::none_of(machine.assumptions.begin(), machine.assumptions.end(),
                   [](const std::string& line) { return line.starts_with("memory_bandwidth"); }));
}

TEST(Calibrate, AnEmptyKernelTellsWhatAKernelTakesToStart) {
  CalibrationSamples samples = samples_of("a processor");
  const Cluster here = describe_host("", "", 2);
  // Of those that happened to run the shortest may be long.
  EXPECT_EQ(calibrate(samples, here, "mine").file.cluster.device.launch_overhead,
            here.device.launch_overhead);
  KernelSample empty;
  empty.layer = parse_layer_case(kEmptyKernel);
  empty.time = {Seconds{1.5e-7}, Seconds{1e-7}, Seconds{2e-7}, 9};
  samples.kernels.push_back(empty);
  const Calibration found = calibrate(samples, here, "mine");
  EXPECT_EQ(found.file.cluster.device.launch_overhead, Seconds{1.5e-7});
  EXPECT_EQ(found.file.profile.kernels.size(), 6U) << "it is no kernel of a network";
}

TEST(Calibrate, SamplesAreOfTheDeviceDescribed) {
  struct Row {
    const char *measured, *kernels, *described;
    DeviceClass described_class;
    bool alike;
  };
  using enum DeviceClass;
  for (const Row& row :
       {Row{"AMD EPYC, 1 thread", "oneDNN 2.6.3", "NVIDIA A100-SXM4-80GB", gpu, false},
        Row{"NVIDIA H100 80GB HBM3", "cuDNN 9.1", "Intel Xeon Gold 6148", cpu, false},
        Row{"Tesla V100-SXM2-16GB", "cuDNN 9.1", "NVIDIA A100-SXM4-80GB", gpu, false},
        Row{"NVIDIA H100 80GB HBM3", "cuDNN 9.1", "NVIDIA H100-SXM5-80GB", gpu, true},
        Row{"NVIDIA GeForce RTX 3090", "cuDNN 9.1", "NVIDIA GeForce RTX 3090", gpu, true},
        Row{"AMD EPYC, 1 thread", "oneDNN 2.6.3", "Intel Xeon Gold 6148", cpu, true}}) {
    CalibrationSamples samples = samples_of(row.measured);
    samples.contexts[0].emplace_back("kernels", row.kernels);
    Device device;
    device.name = row.described;
    device.device_class = row.described_class;
    std::string said;
    try {
      require_same_device(samples, device);
    } catch (const InputError& error) {
      said = error.what();
    }
    EXPECT_EQ(said.empty(), row.alike) << row.measured << " for " << row.described;
    if (row.alike) continue;
    EXPECT_NE(said.find(row.measured), std::string::npos) << said;
    EXPECT_NE(said.find(row.described), std::string::npos) << said;
  }
}

TEST(Calibrate, MergedProfilesAreOfOneDevice) {
  std::vector<ProfileFile> files(2);
  files[0].cluster.device.name = "NVIDIA A100-SXM4-80GB";
  files[1].cluster.device.name = "NVIDIA A100-PCIE-40GB";
  EXPECT_NO_THROW(merge(files, "both"));
  files[1].cluster.device.name = "NVIDIA H100-SXM5-80GB";
  EXPECT_THROW(merge(files, "both"), InputError);
  for (ProfileFile& file : files) file.cluster.device.device_class = DeviceClass::cpu;
  files[0].cluster.device.name = "Intel Xeon Platinum 8592";
  files[1].cluster.device.name = "AMD EPYC 9575F";
  EXPECT_THROW(merge(files, "both"), InputError);
}

TEST(Calibrate, SaysWhatTheTimeDidNotSufficeFor) {
  CalibrationSamples samples;
  samples.contexts = {{{"seconds", "44"}, {"shapes not measured", "60"}}};
  for (int i = 1; i <= 15; ++i) {
    samples.kernels.emplace_back().layer =
        parse_layer_case("activation 1:" + std::to_string(10 * i));
  }
  EXPECT_EQ(to_text(coverage_of(samples)),
            "60 of 75 shapes were not reached in 44 s; --seconds 220 would reach them");
  samples.contexts = {{{"seconds", "44"}, {"shapes not measured", "0"}}};
  EXPECT_EQ(to_text(coverage_of(samples)), "");
}

TEST(Calibrate, CopiesAreToldInTheMeanOfSeveralTimes) {
  CalibrationSamples samples = samples_of("a processor");
  for (const double seconds : {1.0, 2.0, 3.0}) {
    const Seconds took{seconds};
    samples.copies.push_back({2, Bytes{6e9}, {took, Seconds{1}, Seconds{3}, 5}, took, 2 * took});
  }
  const Calibration found = calibrate(samples, describe_host("", "", 2), "mine");
  const std::vector<CopySpeed> mean = {{Bytes{6e9}, Bandwidth{3e9}, Bandwidth{1.5e9}}};
  EXPECT_EQ(found.file.profile.staging, mean);
  EXPECT_DOUBLE_EQ(found.file.cluster.device.memory_bandwidth.value, 8e9)
      << "2 threads that read and write 12 GB, in 2 s and in 4";
}

TEST(Calibrate, AVirtualMachinesProcessorsMove) {
  CalibrationSamples samples;
  CrowdedKernel& shares = samples.crowd.emplace_back();
  shares.alone.layer = parse_layer_case("activation 1:1000 function=sigmoid");
  shares.alone.time = {Seconds{1e-3}, Seconds{1e-3}, Seconds{1e-3}, 1};
  shares.beside = Seconds{1e-3};
  const auto sharing = [&](const char* machine) {
    samples.contexts = {{{"device", "a processor"}, {"machine", machine}}};
    return calibrate(samples, describe_host("", "", 2), "mine").file.profile.contention.sharing;
  };
  EXPECT_EQ(sharing("real"), 1);
  EXPECT_DOUBLE_EQ(sharing("virtual"), 2.0 / 3);
}

TEST(Calibrate, StorageIsKeptAndMerged) {
  CalibrationSamples first, second;
  const MeasuredTime tenth{Seconds{0.1}, Seconds{0.1}, Seconds{0.1}, 3};
  first.storage = {{StorageOperation::decode, 1, false, Bytes{1e6}, tenth},
                   {StorageOperation::decode, 2, false, Bytes{1e6}, tenth}};
  second.storage = {{StorageOperation::decode, 2, false, Bytes{2e6}, tenth},
                    {StorageOperation::checkpoint, 1, false, Bytes{1e6}, tenth}};
  const Cluster machine = describe_host("", "", 2);
  const std::vector<ProfileFile> files = {calibrate(first, machine, "a").file,
                                          calibrate(second, machine, "b").file};
  EXPECT_EQ(files[0].profile.storage.size(), 2U);
  const std::vector<StorageRate> merged = merge(files, "both").file.profile.storage;
  ASSERT_EQ(merged.size(), 3U);
  EXPECT_EQ(merged[0].rate, Bandwidth{1e7});
  EXPECT_EQ(merged[1].rate, Bandwidth{2e7}) << "of equal ones the last counts";
  EXPECT_EQ(merged[2].operation, StorageOperation::checkpoint);
}

TEST(Calibrate, MergedProfilesKeepWhatIsInEither) {
  CalibrationSamples first = samples_of("a processor"), second = samples_of("another");
  first.kernels.resize(4);
  second.kernels.erase(second.kernels.begin(), second.kernels.begin() + 2);
  for (KernelSample& sample : second.kernels) {
    sample.time = {Seconds{7}, Seconds{7}, Seconds{7}, 9};
  }
  const Cluster machine = describe_host("", "", 2);
  const std::vector<ProfileFile> files = {calibrate(first, machine, "a").file,
                                          calibrate(second, machine, "b").file};
  const Calibration both = merge(files, "both");
  EXPECT_EQ(both.file.profile.kernels.size(), 6U);
  const auto last =
      std::count_if(both.file.profile.kernels.begin(), both.file.profile.kernels.end(),
                    [](const KernelTime& kernel) { return kernel.cost.time == Seconds{7}; });
  EXPECT_EQ(last, 4);
  EXPECT_EQ(both.file.measured.front().second, "a processor; another");
}

}  // namespace calibrate_calibrate_test
}  // namespace oracle
