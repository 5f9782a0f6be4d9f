#pragma once
// Which parts may a folder of samples have, and how is a case of each read?
//
// A part is a file; its cases are records {"case": what was asked, "run": 0, results…}. One .cpp of
// this folder for each part, one row each in parts.cpp.   tests/io/samples/samples_reader_test.cpp

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "oracle/io/samples/fields.h"
#include "oracle/io/samples/samples.h"

namespace oracle::samples {

/// A record while it is read: what was asked, what came of it, and what it shares with all others.
struct Record {
  Fields asked, found;
  std::optional<Failure> failure;
  std::size_t run = 0;
  std::optional<Seconds> effort;
};

/// Appends the case: with the results that `read` finds, or without where it failed.
template <typename Asked, typename Found>
void keep(Record& record, Asked asked, Found (*read)(Fields&),
          std::vector<Sample<Asked, Found>>& into) {
  Sample<Asked, Found> sample;
  sample.asked = std::move(asked);
  if (!record.failure) sample.found = read(record.found);
  sample.failure = std::move(record.failure);
  sample.run = record.run;
  sample.effort = record.effort;
  sample.line = record.found.line();
  into.push_back(std::move(sample));
}

Phases read_phases(Fields& found);

struct PartKind {
  std::string_view name;
  void (*read)(Record& record, Samples& samples);
};
std::span<const PartKind> all_parts();

void read_ceiling(Record& record, Samples& samples);
void read_cnn_step(Record& record, Samples& samples);
void read_language_step(Record& record, Samples& samples);
void read_convolution(Record& record, Samples& samples);
void read_dense(Record& record, Samples& samples);
void read_operation(Record& record, Samples& samples);
void read_step_parts(Record& record, Samples& samples);
void read_shared(Record& record, Samples& samples);

}  // namespace oracle::samples
