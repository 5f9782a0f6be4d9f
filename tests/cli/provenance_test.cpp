#include "oracle/cli/provenance.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "oracle/io/data_path.h"
#include "tests/cli/console.h"

namespace oracle::cli {
namespace provenance_test {

using Json = nlohmann::ordered_json;

TEST(Provenance, EveryAnswerInJsonSaysWhatWasAskedAndWhoAnswers) {
  const Json answer = Json::parse(
      console({"plan", "alexnet", "--cluster=abci", "--gpus", "2", "--top", "3", "--pareto",
               "--with", "overlap=off", "--batch-per-gpu", "8", "--format", "json"})
          .out);
  const std::string version = console({"--version"}).out;
  const Json& by = answer["answered_by"];
  EXPECT_TRUE(version.starts_with("oracle " + by["version"].get<std::string>() + " (commit " +
                                  by["commit"].get<std::string>() + ")"))
      << version;
  EXPECT_EQ(by["data_revision"], data_revision());
  EXPECT_EQ(answer["asked"], (Json{{"command", "plan"},
                                   {"model", "alexnet"},
                                   {"cluster", "abci"},
                                   {"gpus", "2"},
                                   {"top", "3"},
                                   {"pareto", "yes"},
                                   {"with", "overlap=off"},
                                   {"batch_per_gpu", "8"}}));
  const Json listed = Json::parse(console({"list", "models", "--format", "json"}).out);
  EXPECT_EQ(listed["asked"], (Json{{"command", "list"}, {"kind", "models"}}));
  EXPECT_TRUE(listed.contains("answered_by"));
}

TEST(Provenance, TheRevisionFollowsTheData) {
  const Scratch scratch;
  for (const char* folder : {"models", "data/devices", "data/clusters", "data/frameworks",
                             "data/datasets", "data/convergence", "data/prices", "data/storage"}) {
    std::filesystem::create_directories(scratch.path(folder));
  }
  const char* set = std::getenv("ORACLE_DATA");
  const std::string before = set != nullptr ? set : "";
  setenv("ORACLE_DATA", scratch.path("").c_str(), 1);
  const std::string empty = data_revision();
  static_cast<void>(scratch.file("models/a.json", "{}"));
  const std::string one = data_revision();
  static_cast<void>(scratch.file("models/a.json", "{ }"));
  const std::string changed = data_revision();
  std::filesystem::rename(scratch.path("models/a.json"), scratch.path("models/b.json"));
  const std::string renamed = data_revision();
  setenv("ORACLE_DATA", before.c_str(), 1);
  EXPECT_EQ(std::set({empty, one, changed, renamed}).size(), 4U);
  EXPECT_EQ(one.size(), 16U);
}

}  // namespace provenance_test
}  // namespace oracle::cli
