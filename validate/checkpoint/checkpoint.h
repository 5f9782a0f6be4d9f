#pragma once
// What of a training is kept in a checkpoint, and is a file one?
//
// A checkpoint is a safetensors file (safetensors.h) of whole tensors in plain order, whatever the
// strategy: a parameter "conv1.weight" with its shape, and its moments "conv1.weight.first_moment"
// and "conv1.weight.second_moment" where the optimizer has them. All else is metadata. Random
// numbers follow from seed, step and place (validate/data/random.h), and the samples of the next
// step from step and batch: these are the random state and the data position. Nothing in it depends
// on time, host or strategy's ranks: the same run writes the same bytes.
//
// "checksum" comes first: FNV-1a over the file from byte 8 on, with zeros in the place of its own
// digits. A file that is cut short, or of which a byte was changed, is not a checkpoint.
//                                                tests/validate/checkpoint/checkpoint_test.cpp

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "validate/checkpoint/safetensors.h"

namespace oracle {

/// Of which run, and how far it is.
struct CheckpointHead {
  std::string network, optimizer, precision;
  std::string data;  ///< what it trains on
  std::uint64_t seed = 1;
  std::int64_t batch = 1;
  std::int64_t step = 0;        ///< that was done last
  std::int64_t updates = 0;     ///< steps that were not skipped
  double loss_scale = 1;        ///< of the next step
  std::int64_t good_steps = 0;  ///< since the scale changed
  bool operator==(const CheckpointHead&) const = default;
};

struct StateTensor {
  TensorEntry entry;
  std::vector<float> values;
};

/// All of it, in memory.
struct Checkpoint {
  CheckpointHead head;
  std::vector<StateTensor> tensors;

  std::int64_t bytes() const;
};

/// Writes it whole or not at all, forced to the medium; throws EnvironmentError. The host is
/// little-endian.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);

/// A file that was found to be whole.
class CheckpointFile {
 public:
  /// Reads all of it once. Throws InputError where it is not a whole checkpoint, EnvironmentError
  /// where it cannot be read.
  explicit CheckpointFile(const std::filesystem::path& file);

  const std::filesystem::path& path() const { return path_; }
  const CheckpointHead& head() const { return head_; }
  const std::vector<TensorEntry>& tensors() const { return header_.tensors; }
  const TensorEntry* find(std::string_view name) const;
  /// The values of a tensor. Throws EnvironmentError where they cannot be read.
  std::vector<float> read(std::string_view name) const;

 private:
  std::filesystem::path path_;
  SafetensorsHeader header_;
  CheckpointHead head_;
  std::map<std::string, std::pair<std::size_t, std::int64_t>, std::less<>> places_;
};

}  // namespace oracle
