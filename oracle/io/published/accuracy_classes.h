#pragma once
// How right were predictions of published runs like this one?
//
// data/accuracy.json holds, by class of runs that judge, how many there are, the median of
// |predicted - measured| / measured and the part that lay in the 90 % interval. It is made of what
// `oracle accuracy` computes (tests/readme/classes.py), and a test holds it to that. "any" stands
// for all generations or precisions together. tests/io/published/accuracy_classes_test.cpp

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/io/json/document.h"

namespace oracle {

struct AccuracyClass {
  std::string kind;        ///< "one device", "data+filter", "one run known, one node", …
  std::string generation;  ///< "volta"; "any"
  std::string precision;   ///< "fp32"; "any"
  std::int64_t runs = 0;
  double median = 0;    ///< |error|
  double coverage = 0;  ///< of the 90 % intervals
};

/// Throws InputError with every problem of the file.
std::vector<AccuracyClass> read_accuracy_classes(const json::Document& document);

/// Of data/accuracy.json; none where there is no such file.
std::vector<AccuracyClass> load_accuracy_classes();

/// The narrowest class with enough runs to say something: of the generation and precision, of the
/// precision, of the kind; nullptr where no run is like it.
const AccuracyClass* most_like(std::span<const AccuracyClass> classes, std::string_view kind,
                               std::string_view generation, std::string_view precision);

}  // namespace oracle
