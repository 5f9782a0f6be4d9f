#pragma once
// What do the options of a search mean? Shared by `plan` and `scale --best`.

#include <array>

#include "oracle/cli/request.h"
#include "oracle/search/search.h"

namespace oracle::cli {

extern const std::array<Option, 4> kSearchOptions;

/// Reads --objective, --with, --axes and --without into the request.
void read_search_options(const Arguments& arguments, SearchRequest& request, ProblemList& problems);

/// Options that --with does not name are those which the framework of `request` runs with.
void take_framework_options(const Arguments& arguments, SearchRequest& request);

/// Without --axes, the mesh axes that the framework runs; an assumption says which.
void limit_to_framework(const Arguments& arguments, report::Subject& subject,
                        SearchRequest& request);

/// A problem where the objective is cost and the device has no price.
void require_price(const SearchRequest& request, const Cluster& cluster, ProblemList& problems);

}  // namespace oracle::cli
