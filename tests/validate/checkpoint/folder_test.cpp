#include "validate/checkpoint/folder.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/validate/checkpoint/file_bytes.h"
#include "validate/command/ranks.h"

namespace oracle {
namespace checkpoint_folder_test {

namespace fs = std::filesystem;

Checkpoint of_step(std::int64_t step) {
  Checkpoint checkpoint;
  checkpoint.head.network = "net";
  checkpoint.head.optimizer = "sgd";
  checkpoint.head.precision = "fp32";
  checkpoint.head.data = "generated";
  checkpoint.head.step = step;
  checkpoint.tensors = {{{"fc.weight", {1}}, {static_cast<float>(step)}}};
  return checkpoint;
}

TEST(CheckpointFolder, KeepsTheTwoNewest) {
  const TemporaryFolder scratch;
  const fs::path folder = scratch.path() / "made/on the way";
  for (const std::int64_t step : {2, 4, 6, 10}) add_checkpoint(folder, of_step(step));
  EXPECT_EQ(checkpoints_in(folder), (std::vector<std::int64_t>{6, 10}));
  EXPECT_EQ(checkpoint_name(10), "step-000000000010.safetensors");
  const FoundCheckpoint found = newest_checkpoint(folder);
  EXPECT_EQ(found.file.head().step, 10);
  EXPECT_TRUE(found.refused.empty());
}

TEST(CheckpointFolder, TakesTheOneBeforeATornOne) {
  const TemporaryFolder folder;
  add_checkpoint(folder.path(), of_step(3));
  add_checkpoint(folder.path(), of_step(6));
  const fs::path torn = folder.path() / checkpoint_name(6);
  const std::string whole = bytes_of_file(torn);
  put_bytes(torn, whole.substr(0, whole.size() - 1));
  const FoundCheckpoint found = newest_checkpoint(folder.path());
  EXPECT_EQ(found.file.read("fc.weight"), std::vector<float>{3});
  ASSERT_EQ(found.refused.size(), 1U);
  EXPECT_EQ(found.refused[0], torn.string() + ": is cut short");
  // What goes on from step 3 keeps it and its own, and does not count the torn one.
  add_checkpoint(folder.path(), of_step(5));
  EXPECT_EQ(checkpoints_in(folder.path()), (std::vector<std::int64_t>{3, 5, 6}));
}

TEST(CheckpointFolder, NamesTellTheStep) {
  const TemporaryFolder folder;
  add_checkpoint(folder.path(), of_step(3));
  fs::rename(folder.path() / checkpoint_name(3), folder.path() / checkpoint_name(4));
  EXPECT_THROW(newest_checkpoint(folder.path()), InputError);
}

TEST(CheckpointFolder, HalvesAreNoCheckpoints) {
  const TemporaryFolder folder;
  add_checkpoint(folder.path(), of_step(3));
  const fs::path half = folder.path() / (checkpoint_name(6) + ".x7Kd2q");
  fs::copy(folder.path() / checkpoint_name(3), half);
  put_bytes(folder.path() / "notes.x7Kd2q", "of the user");
  EXPECT_EQ(newest_checkpoint(folder.path()).file.head().step, 3);
  remove_halves(folder.path());
  EXPECT_FALSE(fs::exists(half));
  EXPECT_TRUE(fs::exists(folder.path() / "notes.x7Kd2q"));
}

TEST(CheckpointFolder, SaysWhereThereIsNone) {
  const TemporaryFolder folder;
  EXPECT_THROW(newest_checkpoint(folder.path()), InputError);
  EXPECT_THROW(newest_checkpoint(folder.path() / "nowhere"), EnvironmentError);
}

}  // namespace checkpoint_folder_test
}  // namespace oracle
