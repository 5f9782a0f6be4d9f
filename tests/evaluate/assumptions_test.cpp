#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/evaluate/evaluation.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"

namespace oracle {
namespace assumptions_test {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> assumptions_with(const Profile& profile) {
  const Training training{16, precision_named("fp32"), optimizer_named("momentum")};
  return evaluate(load_model("alexnet"), load_cluster("abci"), profile, parse_strategy("data:8"),
                  training, Detail::events)
      .assumptions;
}

TEST(Assumptions, LevelsThatWereNotMeasuredAreNamed) {
  const std::string inside = load_cluster("abci").levels[0].name;
  const std::string across = load_cluster("abci").levels[1].name;
  Profile profile;
  EXPECT_THAT(assumptions_with(profile), Contains(HasSubstr("as described, the fastest")));
  profile.links = {{inside, {{Bytes{0}, Seconds{1e-6}, Bandwidth{30e9}, 0.1}}}};
  const std::vector<std::string> lines = assumptions_with(profile);
  EXPECT_THAT(lines, Contains(HasSubstr("communication across " + across + ": as described")));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("communication across " + inside))));
}

/// Of the hosts of dgx-2 memories are described, and links are usual.
TEST(Assumptions, HostsAreSaid) {
  const Training training{16, precision_named("fp32"), optimizer_named("momentum")};
  const auto lines = [&](const char* strategy) {
    return evaluate(load_model("alexnet"), load_cluster("dgx-2"), {}, parse_strategy(strategy),
                    training, Detail::events)
        .assumptions;
  };
  EXPECT_THAT(lines("data:8"), Not(Contains(HasSubstr("host: a link"))));
  const std::string link = "host: a link of 12.0 GB/s each way to a GPU (usual: PCI Express 3 x16)";
  EXPECT_THAT(lines("data:8; offload=activations"), Contains(link + ", memory of 1.36 TiB"));
  EXPECT_THAT(lines("data:8; offload=optimizer"),
              Contains(link + ", memory of 1.36 TiB, updates at 256 GB/s of it"));
}

TEST(Assumptions, WhoseKernelsRunLinearAttentionIsSaid) {
  const Training training{64, precision_named("bf16"), optimizer_named("adam")};
  const auto lines = [&](const char* model, const char* cluster) {
    ModelOverrides overrides;
    overrides.sequence = 512;
    return evaluate(load_model(model, overrides), load_cluster(cluster), {},
                    parse_strategy("expert:64; zero=1"), training, Detail::events)
        .assumptions;
  };
  EXPECT_THAT(lines("qwen3_next_80b", "dgx-h100"),
              Contains("linear attention: the rates of flash-linear-attention 0.5 on an H200"));
  EXPECT_THAT(lines("nemotron3_nano", "dgx-h100"),
              Contains(HasSubstr("no kernel of Mamba-2 was measured")));
  EXPECT_THAT(lines("qwen3_30b_a3b", "dgx-h100"), Not(Contains(HasSubstr("linear attention"))));
}

TEST(Assumptions, CopiesOfGradientsAreSaid) {
  Training training{16, precision_named("fp32"), optimizer_named("momentum")};
  const auto lines = [&](const char* strategy) {
    return evaluate(load_model("alexnet"), load_cluster("abci"), {}, parse_strategy(strategy),
                    training, Detail::events)
        .assumptions;
  };
  const auto said = Contains(HasSubstr("gradient_as_bucket_view"));
  EXPECT_THAT(lines("data:8"), Not(said));
  training.framework.copies_buckets = true;
  EXPECT_THAT(lines("data:8"), said);
  EXPECT_THAT(lines("data:8; zero=2"), Not(said));
}

TEST(Assumptions, ABadFitIsSaid) {
  Profile profile;
  profile.links = {
      {"leaf", {{Bytes{0}, Seconds{1e-6}, Bandwidth{10e9}, 0.6}}, "all_reduce", "ring"}};
  EXPECT_THAT(assumptions_with(profile), Not(Contains(HasSubstr("no fit holds"))));
  profile.links[0].tabulated = true;
  EXPECT_THAT(assumptions_with(profile),
              Contains(HasSubstr("all_reduce across leaf: no fit holds")));
}

TEST(Assumptions, WhatAnExchangeCostsBackwardIsSaid) {
  Profile profile;
  EXPECT_THAT(assumptions_with(profile), Contains(testing::EndsWith("exchanged during backward")));
  profile.overlap = Overlap::alike(0.625);
  EXPECT_THAT(assumptions_with(profile),
              Contains(HasSubstr("during backward, whose kernels take 63 % longer meanwhile")));
}

TEST(Assumptions, WhatRanksOfOneDeviceDoToEachOtherIsSaid) {
  const Training training{16, precision_named("fp32"), optimizer_named("momentum")};
  Cluster cluster = load_cluster("xeon-ethernet");
  cluster.ranks_per_device = 2;
  Profile profile;
  const auto lines = [&](const char* strategy) {
    return evaluate(load_model("alexnet"), cluster, profile, parse_strategy(strategy), training,
                    Detail::events)
        .assumptions;
  };
  EXPECT_THAT(lines("data:2"), Not(Contains(HasSubstr("ranks on one device"))));
  profile.contention = {2, Bytes{1e6}, 1e-11, 0.1, 0.12, 0.4};
  EXPECT_THAT(lines("data:2"),
              Contains(HasSubstr("ranks on one device: kernels take 12 % longer when they co-run, "
                                 "and wait for its memory, of which 40 % is shared")));
  EXPECT_THAT(lines("serial"), Not(Contains(HasSubstr("ranks on one device"))));
}

TEST(Assumptions, OptionsWithoutEffectAreSaid) {
  const Training training{64, precision_named("fp32"), optimizer_named("momentum")};
  const auto lines = [&](const char* strategy) {
    return evaluate(load_model("alexnet"), load_cluster("abci"), {}, parse_strategy(strategy),
                    training, Detail::events)
        .assumptions;
  };
  EXPECT_THAT(lines("data:4; exchange=int8"), Contains(HasSubstr("changes what is trained")));
  EXPECT_THAT(lines("data:4; exchange=topk:100%"),
              Not(Contains(HasSubstr("changes what is trained"))));
  EXPECT_THAT(lines("serial; exchange=int8"), Not(Contains(HasSubstr("changes what is trained"))));
  EXPECT_THAT(lines("data:4; exchange=local:8"),
              Contains(HasSubstr("averaged every 8 steps, of which a step is the mean")));
  EXPECT_THAT(lines("data:4; schedule=gpipe"), Contains("schedule has no effect: no pipeline"));
  EXPECT_THAT(lines("data:4; tensor_overlap=on"),
              Contains("tensor_overlap has no effect: no message of tensor_sequence comes before a "
                       "product or behind one"));
  EXPECT_THAT(lines("data:4; expert_overlap=on"),
              Contains("expert_overlap has no effect: no rows are sent to experts"));
  EXPECT_THAT(lines("pipeline:4; schedule=gpipe"), Not(Contains(HasSubstr("no effect"))));
  const auto serial = lines("serial; exchange=ring; bucket=50 MiB; overlap=off");
  EXPECT_THAT(serial, Contains("exchange has no effect: no gradients are summed over ranks"));
  EXPECT_THAT(serial, Contains("bucket has no effect: no gradients are summed over ranks"));
  EXPECT_THAT(serial, Contains("overlap has no effect: no gradients are summed over ranks"));
  EXPECT_THAT(lines("data:4; exchange=ring"), Not(Contains(HasSubstr("no effect"))));
  EXPECT_THAT(lines("data:4; batch_norm=synchronized"),
              Contains("batch_norm has no effect: no layer has statistics of its batch"));
}

TEST(Assumptions, OptionsOfTheFrameworkAreNotSaidToBeIdle) {
  Training training{64, precision_named("fp32"), optimizer_named("adam")};
  training.framework.options = "bucket=40 MB";
  const auto lines = [&](const char* strategy) {
    return evaluate(load_model("alexnet"), load_cluster("abci"), {}, parse_strategy(strategy),
                    training, Detail::events)
        .assumptions;
  };
  EXPECT_THAT(lines("data:4; zero=3; bucket=40 MB"), Not(Contains(HasSubstr("no effect"))));
  EXPECT_THAT(lines("data:4; zero=3; bucket=50 MB"),
              Contains("bucket has no effect: gradients are scattered as they are made"));
}

TEST(Assumptions, RanksThatShareACoreAreSaidToDoSo) {
  const Training training{16, precision_named("fp32"), optimizer_named("momentum")};
  Cluster cluster = load_cluster("xeon-ethernet");
  cluster.device.multiprocessors = 2;
  cluster.ranks_per_device = 4;
  Profile profile;
  const auto lines = [&](const char* strategy) {
    return evaluate(load_model("alexnet"), cluster, profile, parse_strategy(strategy), training,
                    Detail::events)
        .assumptions;
  };
  EXPECT_THAT(lines("data:4"), Not(Contains(HasSubstr("ranks on 2 cores"))))
      << "a roofline divides the device itself";
  profile.kernels = {{update_key(1, training), {Seconds{1e-6}, Source::measured, 0.02}}};
  EXPECT_THAT(lines("data:4"), Contains("4 ranks on 2 cores: they share them, and how they take "
                                        "turns was not measured (± 15 %)"));
  EXPECT_THAT(lines("data:2"), Not(Contains(HasSubstr("ranks on 2 cores"))));
}

}  // namespace assumptions_test
}  // namespace oracle
