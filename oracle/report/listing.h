#pragma once
// What is there to choose from?                                    tests/report/listing_test.cpp

#include <span>

#include "oracle/budget/convergence.h"
#include "oracle/budget/data_set.h"
#include "oracle/budget/price_list.h"
#include "oracle/cluster/cluster.h"
#include "oracle/cluster/framework.h"
#include "oracle/cluster/storage_system.h"
#include "oracle/graph/graph.h"
#include "oracle/report/document.h"

namespace oracle::report {

Document model_listing(std::span<const Graph> models);
Document device_listing(std::span<const Device> devices);
Document cluster_listing(std::span<const Cluster> clusters);
Document framework_listing(std::span<const Framework> frameworks);
Document data_set_listing(std::span<const DataSet> data_sets);

/// Networks with the target that their points are of, and the law that fits these.
Document target_listing(std::span<const Convergence> files);

/// Every offer of every provider.
Document storage_listing(std::span<const StorageSystem> systems);
Document price_listing(std::span<const PriceList> lists);

/// The ways to cut, from the table of plan/cuts.
Document strategy_listing();

/// The algorithms of every collective, from the table of cost/collectives.
Document collective_listing();

/// Ways to exchange gradients, from the table of plan/exchanges.
Document exchange_listing();

}  // namespace oracle::report
