#pragma once
// Which collectives did others measure, on what, and how long did they take?
//
// A file of data/published/collectives holds those of one source.
//                                                tests/io/published/collectives_reader_test.cpp

#include <cstdint>
#include <string>
#include <vector>

#include "oracle/base/units.h"
#include "oracle/io/json/document.h"

namespace oracle {

struct PublishedCollective {
  std::string cluster;
  std::int64_t ranks = 2;
  Bytes message;  ///< the buffer of one rank
  Seconds time;
  int line = 0;  ///< in the file
};

struct PublishedCollectives {
  std::string id;         ///< file name
  std::string operation;  ///< "all_reduce"
  bool fitted = false;    ///< constants may be fitted on these: they judge nothing
  std::string source;
  std::vector<PublishedCollective> runs;
};

/// Throws InputError with every problem of the file.
PublishedCollectives read_published_collectives(const json::Document& document);

/// All files of data/published/collectives, in the order of their names.
std::vector<PublishedCollectives> load_published_collectives();

}  // namespace oracle
