#pragma once
// How large is a data set?
//
// One JSON file in data/datasets; data/README.md shows the form. A text has no samples of its own:
// it has tokens, and a network's sequence says how many make a sample.
//
// Worked: 1,281,167 samples of ImageNet in 146 GB are 114 kB each, 1,000 a second 114 MB/s; 2,048
// tokens at a sequence of 512 are 4 samples, 2,049 are 5
//                                                          tests/io/budget/data_set_reader_test.cpp

#include <cstdint>
#include <string>
#include <vector>

#include "oracle/base/units.h"

namespace oracle {

struct DataSet {
  std::string id;  ///< file name: "imagenet"
  std::string name;
  std::int64_t samples = 0;          ///< to train on; 0: a text
  std::int64_t tokens = 0;           ///< of a text
  Bytes size;                        ///< of its files; 0: not known
  std::vector<std::string> formats;  ///< in which it is usually kept: "jpeg", "tfrecord"
  std::vector<std::string> sources;  ///< title and year of each

  /// Of a network that reads `sequence` positions.
  std::int64_t samples_of(std::int64_t sequence) const {
    return samples > 0 ? samples : (tokens + sequence - 1) / sequence;
  }

  /// What training reads of its files; 0 where their size is not known.
  Bandwidth read_at(double samples_per_second, std::int64_t sequence) const {
    return Bandwidth{size.value / static_cast<double>(samples_of(sequence)) * samples_per_second};
  }
};

}  // namespace oracle
