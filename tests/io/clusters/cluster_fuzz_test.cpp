#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace cluster_fuzz_test {

constexpr int kMutants = 2000;

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::vector<std::string> texts_in(const std::string& folder) {
  std::vector<std::string> texts;
  for (const std::string& name : names_in(folder)) {
    texts.push_back(text_of(data_root() / folder / (name + ".json")));
  }
  return texts;
}

/// One to four changes: a byte, a piece cut out or doubled, or a value swapped for an awkward one.
std::string mutant_of(std::string text, std::mt19937_64& random) {
  static const std::vector<std::string> kAwkward = {"0",
                                                    "-1",
                                                    "1e999",
                                                    "null",
                                                    "[]",
                                                    "{}",
                                                    "\"\"",
                                                    "\"NaN GB/s\"",
                                                    "\"1e308 TB/s\"",
                                                    "\"0 s\"",
                                                    "9223372036854775807",
                                                    "-9223372036854775808",
                                                    "1000000000",
                                                    "\"\\u0000\"",
                                                    "\"here\"",
                                                    "true"};
  for (std::uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
    const std::size_t at = random() % (text.size() + 1);
    const std::size_t length = std::min<std::size_t>(random() % 40, text.size() - at);
    switch (random() % 5) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random() % 256);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      default: {
        const std::size_t colon = text.find(": ", at);
        if (colon == std::string::npos) break;
        const std::size_t end = text.find_first_of(",}\n", colon);
        if (end == std::string::npos) break;
        text.replace(colon + 2, end - colon - 2, kAwkward[random() % kAwkward.size()]);
      }
    }
  }
  return text;
}

/// Reads mutants; anything but a value or an InputError of sane form fails. Returns how many were
/// read.
template <typename Read>
int survivors(const std::vector<std::string>& texts, Read read_one) {
  std::mt19937_64 random(12345);
  int accepted = 0;
  for (int i = 0; i < kMutants; ++i) {
    const std::string text = mutant_of(texts[random() % texts.size()], random);
    try {
      read_one(json::parse(text, "mutant.json"));
      ++accepted;
    } catch (const InputError& error) {
      EXPECT_FALSE(error.problems().empty());
      for (const Problem& problem : error.problems()) {
        EXPECT_TRUE(problem.place.starts_with("mutant.json")) << problem.place;
        EXPECT_EQ(to_text(problem).find('\n'), std::string::npos) << to_text(problem);
      }
    } catch (const std::exception& error) {
      ADD_FAILURE() << "mutant " << i << ": " << error.what() << "\n" << text;
    }
  }
  return accepted;
}

class ClusterFuzz : public testing::Test {
 protected:
  void SetUp() override { setenv("ORACLE_DATA", ORACLE_SOURCE_DIR, 1); }
};

TEST_F(ClusterFuzz, MutatedDevicesAreReadOrRefused) {
  const int accepted = survivors(texts_in("data/devices"), [](const json::Document& document) {
    const Device device = read_device(document);
    EXPECT_GT(device.memory.value, 0);
    EXPECT_GT(device.memory_bandwidth.value, 0);
    EXPECT_GT(device.peak_of(DataType::fp32).value, 0);
  });
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, kMutants / 2);
}

TEST_F(ClusterFuzz, MutatedClustersAreReadOrRefused) {
  const int accepted = survivors(texts_in("data/clusters"), [](const json::Document& document) {
    const Cluster cluster = read_cluster(document);
    EXPECT_GE(cluster.ranks(), 1);
    EXPECT_LE(cluster.ranks(), kMaxRanks);
    for (const Level& level : cluster.levels) EXPECT_GT(level.uplink.flow_limit.value, 0);
  });
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, kMutants / 2);
}

}  // namespace cluster_fuzz_test
}  // namespace oracle
