#pragma once
// How does a profile rest in a file, and come back?
//
// "oracle/profile/1" (data/schema/profile.schema.json): the machine's description, the context of
// its measurements, kernels measured, fits, links and storage. Times are seconds, sizes bytes.
// Points of a fit are the kernels of its family, pass and format in the order of the table, so that
// a file holds their weights alone. What was written reads back equal.
//                                             tests/io/calibration/profile_file_test.cpp

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oracle/cluster/cluster.h"
#include "oracle/cluster/profile.h"
#include "oracle/io/json/document.h"

namespace oracle {

struct ProfileFile {
  /// Names and values: "device", "date", "command", …
  std::vector<std::pair<std::string, std::string>> measured;
  Cluster cluster;
  Profile profile;
};

std::string write_profile(const ProfileFile& file);

/// Throws InputError with every problem of the file.
ProfileFile read_profile(const json::Document& document);

/// Whether a document calls itself a profile.
bool is_profile(const json::Document& document);

/// What was measured of the cluster that load_cluster() finds by that name: nothing, where it is
/// described and not measured.
Profile load_profile(std::string_view name);

}  // namespace oracle
