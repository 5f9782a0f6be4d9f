#pragma once
// What was measured, according to a folder of sample files?
//
// A folder holds one JSON file for each part that was measured. Schemas and parts that are not
// known are refused, as is anything unknown in what a case asks; results that are not known are
// ignored, counted and named (Samples::ignored). Where several runs measured a case, the last one's
// is kept, at the place of the first, as the measuring program does. A folder is of one device.
//
// Worked: of two records of one case, of run 0 and run 1, run 1's is kept
//                                                     tests/io/samples/samples_reader_test.cpp

#include <filesystem>
#include <span>

#include "oracle/io/json/document.h"
#include "oracle/io/samples/samples.h"

namespace oracle {

/// One file for each part. Throws InputError with every problem of all files.
samples::Samples read_samples(std::span<const json::Document> documents);

/// All files *.json of the folder, in the order of their names. Throws InputError where there is no
/// such folder or no file in it, too.
samples::Samples load_samples(const std::filesystem::path& folder);

}  // namespace oracle
