#include "oracle/cli/accuracy_line.h"

#include <gtest/gtest.h>

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"

namespace oracle::cli {
namespace accuracy_line_test {

std::string line_of(const char* strategy, const char* cluster, const Profile& profile = {}) {
  Training training;
  training.batch = 64;
  const Cluster machine = load_cluster(cluster);
  return accuracy_line(
      evaluate(load_model("alexnet"), machine, profile, parse_strategy(strategy), training),
      machine, profile);
}

TEST(AccuracyLine, CountsTheRunsThatAreLikeIt) {
  const std::string line = line_of("serial", "abci");
  EXPECT_NE(line.find("published runs like it (one device, volta, fp32)"), std::string::npos)
      << line;
}

TEST(AccuracyLine, CountsThoseWithOneRunKnownWhereOneIs) {
  Training training;
  training.batch = 64;
  Cluster machine = load_cluster("abci");
  machine.pace = {1.1, 1};
  const std::string line = accuracy_line(
      evaluate(load_model("alexnet"), machine, {}, parse_strategy("data:2"), training), machine,
      {});
  EXPECT_NE(line.find("published runs like it (one run known, one node)"), std::string::npos)
      << line;
}

TEST(AccuracyLine, SaysWhereThereIsNone) {
  EXPECT_NE(
      line_of("filter:2,pipeline:2", "abci").find("no published run is like this one (filter"),
      std::string::npos);
  EXPECT_NE(line_of("serial", "xeon-ethernet").find("no published run"), std::string::npos);
}

TEST(AccuracyLine, OfMeasuredKernelsNothingIsSaid) {
  Profile profile;
  profile.kernels.push_back({});
  EXPECT_EQ(line_of("serial", "abci", profile), "");
}

}  // namespace accuracy_line_test
}  // namespace oracle::cli
