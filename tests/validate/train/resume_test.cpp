#include "validate/train/resume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "oracle/base/error.h"
#include "tests/validate/checkpoint/file_bytes.h"
#include "tests/validate/in_process.h"
#include "validate/command/ranks.h"

namespace oracle {
namespace resume_test {

using testing::HasSubstr;

const std::string kNetwork = ORACLE_SOURCE_DIR "/tests/validate/models/uneven.json";

TrainRequest request_with(std::vector<const char*> words) {
  words.insert(words.begin(), kNetwork.c_str());
  return read_request(words);
}

/// Behind step 4 of the network at batch 8, all weights zero.
void keep(const std::filesystem::path& folder, std::int64_t step = 4) {
  const TrainRequest request = request_with({"--batch", "8", "--optimizer", "sgd"});
  Checkpoint checkpoint;
  checkpoint.head = {request.graph.name, "sgd", "fp32", "generated", 1, 8, step, step, 1, 0};
  for (const Layer& layer : request.graph.layers) {
    for (const Weight& weight : layer.weights) {
      std::vector<std::int64_t> shape = {weight.elements};
      if (weight.name == "weight") {
        shape = {layer.output.channels(), layer.input.channels()};
        if (layer.window.volume() > 1) shape.insert(shape.end(), {3, 3});
      }
      checkpoint.tensors.push_back({{layer.name + "." + weight.name, shape},
                                    std::vector<float>(static_cast<std::size_t>(weight.elements))});
    }
  }
  add_checkpoint(folder, checkpoint);
}

std::string problem_of(const TrainRequest& request) {
  try {
    open_checkpoint(request, "generated");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Resume, TakesTheRunThatItIsOf) {
  const TemporaryFolder folder;
  keep(folder.path());
  const std::string path = folder.path().string();
  const auto asked = [&](std::vector<const char*> more) {
    std::vector<const char*> words = {"--resume", path.c_str(), "--optimizer"};
    if (more.empty() || std::string_view(more.front()) != "adam") words.push_back("sgd");
    words.insert(words.end(), more.begin(), more.end());
    return request_with(words);
  };
  EXPECT_EQ(problem_of(asked({"--batch", "8"})), "");
  EXPECT_FALSE(open_checkpoint(request_with({}), "generated"));
  EXPECT_THAT(problem_of(asked({"--batch", "16"})),
              HasSubstr("is of batch 8, and 16 is asked for; give --batch 8"));
  EXPECT_THAT(problem_of(asked({"--batch", "8", "--seed", "2"})), HasSubstr("give --seed 1"));
  EXPECT_THAT(problem_of(asked({"adam", "--batch", "8"})), HasSubstr("give --optimizer \"sgd\""));
  EXPECT_THAT(problem_of(asked({"--batch", "8", "--steps", "4"})),
              HasSubstr("--steps: are 4 in all"));
}

TEST(Resume, ASecondRunDoesNotMixWithTheFirst) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  const TrainRequest fresh = request_with({"--checkpoint", path.c_str()});
  EXPECT_NO_THROW(require_own_folder(fresh));
  keep(folder.path());
  EXPECT_THROW(require_own_folder(fresh), InputError);
  EXPECT_NO_THROW(
      require_own_folder(request_with({"--checkpoint", path.c_str(), "--resume", path.c_str()})));
}

TEST(Resume, SaysWhichFileIsTorn) {
  const TemporaryFolder folder;
  keep(folder.path(), 2);
  keep(folder.path(), 4);
  const auto torn = folder.path() / checkpoint_name(4);
  put_bytes(torn, bytes_of_file(torn).substr(0, 100));
  const std::string path = folder.path().string();
  const TrainRequest request =
      request_with({"--resume", path.c_str(), "--optimizer", "sgd", "--batch", "8"});
  std::vector<std::ostringstream> said(2);
  run_ranks(2, [&](Communicator& communicator) {
    const auto found = open_checkpoint(request, "generated", communicator,
                                       said[static_cast<std::size_t>(communicator.rank())]);
    EXPECT_EQ(found->head().step, 2);
  });
  EXPECT_THAT(said[0].str(), HasSubstr(torn.string() + ": is cut short"));
  EXPECT_THAT(said[0].str(), HasSubstr("goes on from"));
  EXPECT_EQ(said[1].str(), "");
}

}  // namespace resume_test
}  // namespace oracle
