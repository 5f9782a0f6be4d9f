#pragma once
// Which exchange of gradients makes a step of data parallelism shortest on this network?
//
// Each row of plan/exchanges is priced with the parameter that help shows, servers in powers of 4
// up to one on each rank, waiting for all and for none, beside the all-reduce. What trains
// otherwise than an all-reduce does is in the list: how many steps it needs is no price, and a run
// shows it (validate/). tests/search/exchange_search_test.cpp

#include <string>
#include <vector>

#include "oracle/search/search.h"

namespace oracle {

/// "auto", "topk:1%", "servers:16; staleness=any", ...: options of a strategy on so many ranks.
std::vector<std::string> exchanges_on(std::int64_t ranks);

/// One candidate of each, the shortest step first; of those refused why. The request's objective
/// and space do not count.
Ranking search_exchanges(const Graph& graph, const Cluster& cluster, const Profile& profile,
                         const SearchRequest& request);

}  // namespace oracle
