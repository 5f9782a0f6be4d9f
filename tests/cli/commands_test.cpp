// The commands on the real models and clusters: the form of their answers. Figures are the engine's
// own tests' business.

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "oracle/io/data_path.h"
#include "oracle/report/text.h"
#include "tests/cli/console.h"

namespace oracle::cli {
namespace commands_test {

using Json = nlohmann::ordered_json;

void expect_narrow(const std::string& text) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    EXPECT_LE(report::display_width(line), 100U) << line;
  }
}

TEST(Commands, EstimateAnswersInOneLine) {
  const Outcome outcome =
      console({"estimate", "vgg16", "--cluster", "abci", "--strategy", "data:16,filter:4",
               "--batch", "512", "--by", "transfer", "--timeline", "--memory"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(outcome.out.starts_with("step ")) << outcome.out;
  const std::string first = outcome.out.substr(0, outcome.out.find('\n'));
  EXPECT_TRUE(first.ends_with("per GPU   fits")) << first;
  expect_narrow(outcome.out);
}

TEST(Commands, EstimateFillsAnOpenAxis) {
  const std::vector<const char*> open = {"estimate",   "vgg16",         "--cluster", "abci",
                                         "--strategy", "data,filter:4", "--gpus",    "64",
                                         "--format",   "json"};
  const std::vector<const char*> written = {"estimate", "vgg16",      "--cluster",
                                            "abci",     "--strategy", "data:16,filter:4",
                                            "--format", "json"};
  // They differ in what was asked, and in nothing else.
  const auto answer = [](const std::vector<const char*>& args) {
    Json json = Json::parse(console(args).out);
    json.erase("asked");
    return json;
  };
  EXPECT_EQ(answer(open), answer(written));
}

TEST(Commands, ACutLongerThanItsDimensionIsANo) {
  const std::vector<const char*> args = {"estimate",   "vgg16",      "--cluster", "abci",
                                         "--strategy", "filter:128", "--batch",   "8"};
  const Outcome outcome = console(args);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.out.starts_with("does not fit: layer conv1_1: needs 128 filters, has 64"))
      << outcome.out;
  EXPECT_EQ(outcome.out.find(" ms"), std::string::npos);
  std::vector<const char*> json = args;
  json.insert(json.end(), {"--format", "json"});
  const Outcome machine = console(json);
  EXPECT_EQ(machine.code, 1);
  EXPECT_TRUE(machine.err.starts_with("oracle: does not fit: layer conv1_1")) << machine.err;
  const Json answer = Json::parse(machine.out);
  EXPECT_EQ(answer["infeasible"][0]["needed"], 128);
  EXPECT_EQ(answer["infeasible"][0]["available"], 64);
  EXPECT_FALSE(answer.contains("step_time"));
}

TEST(Commands, ShortNamesOfTheFieldAreUnderstood) {
  const auto estimate = [](const char* strategy, const char* optimizer) {
    return console({"estimate", "vgg16", "--cluster", "abci", "--strategy", strategy, "--batch",
                    "64", "--optimizer", optimizer});
  };
  EXPECT_EQ(estimate("dp:8,tp:2,pp:2", "adam").out,
            estimate("data:8,tensor:2,pipeline:2", "adam").out);
  const Outcome decayed = estimate("dp:8", "adamw");
  EXPECT_EQ(decayed.code, 0) << decayed.err;
  EXPECT_NE(decayed.out.find("- optimizer: adamw costs what adam does\n"), std::string::npos)
      << decayed.out;
  EXPECT_EQ(estimate("dp:8", "adam").out.find("adamw"), std::string::npos);
}

TEST(Commands, PlanRanksAndCountsWhatFellOut) {
  const Outcome outcome =
      console({"plan", "alexnet", "--cluster", "abci", "--gpus", "4", "--top", "3"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\n  forward "), std::string::npos);
  EXPECT_NE(outcome.out.find("32 samples per GPU, as none was given"), std::string::npos);
  expect_narrow(outcome.out);
}

TEST(Commands, PlanHasTheSameOrderInEveryFormat) {
  const auto plan = [](const char* format) {
    return console({"plan", "alexnet", "--cluster", "abci", "--gpus", "4", "--batch", "128",
                    "--top", "all", "--format", format});
  };
  const Outcome json = plan("json"), csv = plan("csv");
  const Json answer = Json::parse(json.out);
  EXPECT_EQ(answer["schema"], "oracle/ranking/1");
  const Json& candidates = answer["candidates"];
  ASSERT_GT(candidates.size(), 1U);
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.out.begin(), csv.out.end(), '\n')),
            candidates.size() + 1);
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    EXPECT_LE(candidates[i - 1]["step_time"]["value"], candidates[i]["step_time"]["value"]);
  }
  std::size_t strategies = candidates.size();
  for (const Json& candidate : candidates) {
    const std::string also = candidate["also"].is_null() ? "" : candidate["also"];
    if (also.empty()) {
      continue;
    }
    strategies += 1 + static_cast<std::size_t>(std::count(also.begin(), also.end(), '|'));
  }
  EXPECT_GT(strategies, candidates.size()) << "some are the same program";
  EXPECT_EQ(answer["considered"].get<std::size_t>(),
            strategies + answer["refused_count"].get<std::size_t>());
}

TEST(Commands, ARunIsItsEpochs) {
  const std::vector<const char*> args = {"plan",      "resnet50", "--cluster", "cloud-10gbe",
                                         "--gpus",    "64",       "--axes",    "data",
                                         "--samples", "1281167",  "--epochs",  "90"};
  const Outcome outcome = console(args);
  EXPECT_NE(outcome.out.find("the run: 1,281,167 samples, 90 epochs\n"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("GPU-hours"), std::string::npos);
  std::vector<const char*> estimate = {"estimate",  "resnet50", "--cluster",  "cloud-10gbe",
                                       "--samples", "1281167",  "--strategy", "data:64",
                                       "--format",  "json"};
  const Json json = Json::parse(console(estimate).out);
  const double step = json["step_time"]["value"];
  EXPECT_EQ(json["run"][0]["steps"], 626);
  EXPECT_NEAR(json["run"][0]["time"]["value"].get<double>(), 626 * step, 1e-9);
  EXPECT_NEAR(json["run"][0]["device_hours"]["value"].get<double>(), 626 * step * 64 / 3600, 1e-9);
  EXPECT_NEAR(json["run"][0]["cost"]["value"].get<double>(), 626 * step * 64 / 3600 * 3.06, 1e-6);
  EXPECT_EQ(console({"estimate", "resnet50", "--cluster", "abci", "--strategy", "data:4",
                     "--epochs", "2"})
                .code,
            2);
}

TEST(Commands, TopHoldsForEveryFormat) {
  const auto plan = [](std::vector<const char*> more) {
    std::vector<const char*> args = {"plan", "alexnet", "--cluster", "abci", "--gpus", "4"};
    args.insert(args.end(), more.begin(), more.end());
    return console(args).out;
  };
  EXPECT_EQ(Json::parse(plan({"--top", "3", "--format", "json"}))["candidates"].size(), 3U);
  EXPECT_EQ(Json::parse(plan({"--axes", "all", "--format", "json"}))["candidates"].size(), 10U);
  EXPECT_GT(
      Json::parse(plan({"--axes", "all", "--top", "all", "--format", "json"}))["candidates"].size(),
      10U);
  const std::string csv = plan({"--top", "3", "--format", "csv"});
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
  EXPECT_EQ(Json::parse(plan({"--pareto", "--top", "1", "--format", "json"}))["frontier"].size(),
            1U);
}

TEST(Commands, NarrowTerminalsCutNothingThatIsTyped) {
  for (const std::vector<const char*>& args :
       {std::vector{"list", "devices"}, std::vector{"list", "strategies"},
        std::vector{"show", "model", "inception_v3"}, std::vector{"show", "cluster", "summit"},
        std::vector{"scale", "resnet50", "--cluster", "abci", "--gpus", "1..64"},
        std::vector{"estimate", "vgg16", "--cluster", "abci", "--strategy", "data:16,filter:4",
                    "--by", "layer", "--timeline"},
        std::vector{"estimate", "vgg16", "--cluster", "abci", "--strategy", "data:16,filter:4",
                    "--by", "transfer"}}) {
    std::istringstream stream(console(args, {.width = 80}).out);
    for (std::string line; std::getline(stream, line);) {
      EXPECT_LE(report::display_width(line), 80U) << line;
    }
  }
  for (const std::size_t width : {60U, 80U, 120U}) {
    const std::string text =
        console({"plan", "vgg16", "--cluster", "abci", "--gpus", "64", "--top", "30"},
                {.width = width})
            .out;
    EXPECT_EQ(text.find("…"), std::string::npos) << width;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      EXPECT_LE(report::display_width(line), width) << line;
    }
  }
}

TEST(Commands, PlanSaysNoWhenNothingFits) {
  const Outcome outcome =
      console({"plan", "vgg16", "--cluster", "abci", "--gpus", "2", "--batch", "100000"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.out.starts_with("nothing fits on 2 GPUs")) << outcome.out;
  EXPECT_NE(outcome.out.find("device memory: needs "), std::string::npos);
}

TEST(Commands, MoreGpusThanThereAreIsANo) {
  const Outcome outcome =
      console({"plan", "vgg16", "--cluster", "abci", "--gpus", "1000000000", "--batch", "64"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("has 4352 ranks"), std::string::npos) << outcome.out;
}

TEST(Commands, ScaleShowsEveryCount) {
  const Outcome outcome =
      console({"scale", "resnet50", "--cluster", "abci", "--gpus", "1..16,6", "--format", "json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json answer = Json::parse(outcome.out);
  std::vector<int> counts;
  for (const Json& point : answer["points"]) counts.push_back(point["ranks"]);
  EXPECT_EQ(counts, (std::vector<int>{1, 2, 4, 6, 8, 16}));
  EXPECT_EQ(answer["points"][3]["batch"], 6 * 32);
  EXPECT_EQ(answer["points"][0]["efficiency"]["value"], 1);
}

TEST(Commands, StrongScalingKeepsTheBatch) {
  const Outcome outcome = console({"scale", "resnet50", "--cluster", "abci", "--gpus", "1,4",
                                   "--batch", "64", "--format", "json"});
  const Json answer = Json::parse(outcome.out);
  EXPECT_EQ(answer["scaling"], "strong");
  EXPECT_EQ(answer["points"][0]["batch"], 64);
  EXPECT_EQ(answer["points"][1]["batch"], 64);
}

TEST(Commands, ScaleWithTheBestNamesIt) {
  const Outcome outcome =
      console({"scale", "alexnet", "--cluster", "abci", "--gpus", "1,2", "--best"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("serial"), std::string::npos) << outcome.out;
  expect_narrow(outcome.out);
}

TEST(Commands, ListsAndShows) {
  for (const std::vector<const char*>& args :
       {std::vector{"list", "models"}, std::vector{"list", "devices"},
        std::vector{"list", "clusters"}, std::vector{"list", "strategies"},
        std::vector{"list", "collectives"}, std::vector{"list", "exchanges"},
        std::vector{"show", "model", "inception_v3"}, std::vector{"show", "cluster", "abci"},
        std::vector{"show", "device", "t4"}}) {
    const Outcome outcome = console(args);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    expect_narrow(outcome.out);
    std::vector<const char*> json = args;
    json.insert(json.end(), {"--format", "json"});
    EXPECT_TRUE(Json::parse(console(json).out).contains("schema"));
  }
}

TEST(Commands, TheSameQuestionHasTheSameAnswer) {
  const std::vector<const char*> args = {"plan",   "alexnet", "--cluster", "abci",
                                         "--gpus", "8",       "--format",  "json"};
  EXPECT_EQ(console(args).out, console(args).out);
}

TEST(Commands, ShowWritesAModelThatIsReadBack) {
  const Scratch scratch;
  const std::string file = scratch.path("resnet50.json").string();
  ASSERT_EQ(
      console({"show", "model", "resnet50", "--format", "json", "--output", file.c_str()}).code, 0);
  const Outcome original = console({"show", "model", "resnet50", "--format", "csv"});
  EXPECT_EQ(console({"show", "model", file.c_str(), "--format", "csv"}).out, original.out);
  const Outcome report = console({"show", "model", file.c_str(), "--format", "report"});
  EXPECT_NE(report.out.find("\"schema\": \"oracle/model-report/1\""), std::string::npos);
  const Outcome list = console({"list", "models", "--format", "report"});
  EXPECT_EQ(list.code, 2);
  EXPECT_EQ(
      list.err,
      "oracle: --format: \"report\" is not a format of oracle list; known: table, json, csv\n");
}

/// What `show WHAT NAME --format json` writes, in a file.
std::string shown_file(const Scratch& scratch, const char* what, const std::string& name) {
  const std::string file = scratch.path(std::string(what) + "-" + name + ".json").string();
  const Outcome outcome =
      console({"show", what, name.c_str(), "--format", "json", "--output", file.c_str()});
  EXPECT_EQ(outcome.code, 0) << name << ": " << outcome.err;
  return file;
}

TEST(Commands, ShowWritesEveryClusterSoThatItIsReadBack) {
  const Scratch scratch;
  for (const std::string& name : names_in("data/clusters")) {
    const std::string file = shown_file(scratch, "cluster", name);
    // A second writing changes nothing.
    EXPECT_EQ(console({"show", "cluster", file.c_str(), "--format", "json"}).out,
              Scratch::read(file));
    const auto estimate = [](const std::string& cluster) {
      return console({"estimate", "alexnet", "--cluster", cluster.c_str(), "--strategy", "data:2",
                      "--batch", "64", "--format", "csv"});
    };
    const Outcome again = estimate(file);
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(again.out, estimate(name).out) << name;
  }
  const std::string abci = Scratch::read(shown_file(scratch, "cluster", "abci"));
  EXPECT_NE(abci.find("\"bandwidth\": \"25 GB/s\""), std::string::npos) << abci;
  EXPECT_NE(abci.find("\"memory\": \"16 GiB\""), std::string::npos) << abci;
  EXPECT_NE(abci.find("\"latency\": \"40.31 us\""), std::string::npos) << abci;
}

TEST(Commands, ShowWritesEveryDeviceSoThatItIsReadBack) {
  const Scratch scratch;
  for (const std::string& name : names_in("data/devices")) {
    const std::string file = shown_file(scratch, "device", name);
    EXPECT_EQ(console({"show", "device", file.c_str(), "--format", "json"}).out,
              Scratch::read(file));
    EXPECT_EQ(console({"show", "device", file.c_str()}).out,
              console({"show", "device", name.c_str()}).out);
  }
}

}  // namespace commands_test
}  // namespace oracle::cli
