#pragma once
// Where do the files of models/ and data/ lie at run time?
//
// Worked: ORACLE_DATA=/opt/oracle, cluster "abci" → /opt/oracle/data/clusters/abci.json
//                                                                     tests/io/data_path_test.cpp

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace oracle {

/// The folder that holds models/ and data/: $ORACLE_DATA if set; else the nearest folder above the
/// running program that has both, or its ../share/oracle, or, for programs that use the installed
/// engine, oracle/ in the first of $XDG_DATA_DIRS (/usr/local/share:/usr/share) where it is. Throws
/// EnvironmentError naming what was tried.
std::filesystem::path data_root();

/// Names (without .json, sorted) of the JSON files in `folder` below data_root(), e.g.
/// "data/clusters".
std::vector<std::string> names_in(std::string_view folder);

/// The file that `name` means: a path if it contains '/' or ends in ".json", else folder/name.json
/// below data_root(). Throws InputError with place `what` ("model", "cluster") and "did you mean";
/// `oracle list LISTING` has the names, of the folder's own name where it is empty.
std::filesystem::path resolve(std::string_view what, std::string_view folder, std::string_view name,
                              std::string_view listing = {});

/// 16 hexadecimal digits that differ with the names and contents of the models, devices, clusters,
/// frameworks, data sets, convergence points, prices and storage (FNV-1a, 64 bits; Fowler, Noll and
/// Vo, 1991).
std::string data_revision();

}  // namespace oracle
