#include <array>
#include <bit>
#include <string>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"
#include "oracle/cost/collectives/algorithm.h"
#include "oracle/cost/collectives/butterfly.h"
#include "oracle/cost/collectives/direct.h"
#include "oracle/cost/collectives/double_tree.h"
#include "oracle/cost/collectives/halving_doubling.h"
#include "oracle/cost/collectives/hierarchical.h"
#include "oracle/cost/collectives/pairwise.h"
#include "oracle/cost/collectives/ring.h"
#include "oracle/cost/collectives/tree.h"
#include "oracle/plan/exchanges/gradient_exchange.h"

namespace oracle {
namespace {

bool always(const Group&) { return true; }

bool has_servers(const Group& group) { return group.servers > 0; }

bool power_of_two(const Group& group) {
  return std::has_single_bit(static_cast<std::uint64_t>(group.size));
}

// NCCL chooses between rings and double trees; MPI libraries between the classical algorithms.
constexpr Offered kBoth{true, true}, kNccl{true, false}, kMpi{false, true},
    kOnRequest{false, false};

constexpr std::array kAlgorithms = {
    Algorithm{"ring", Collective::all_reduce, "2(n-1)·α + 2(n-1)/n·S/B; Patarasuk & Yuan 2009",
              ring_all_reduce, always, kBoth},
    Algorithm{"tree", Collective::all_reduce,
              "2⌈log2 n⌉·(α + S/B); binomial reduce and broadcast, Thakur et al. 2005",
              tree_all_reduce, always, kMpi},
    Algorithm{"double_tree", Collective::all_reduce,
              "2((g-1)·α_0 + ⌈log2 N⌉·α) + 2·S/B; Sanders et al. 2009, NCCL 2.4",
              double_tree_all_reduce, always, kNccl},
    Algorithm{"halving_doubling", Collective::all_reduce,
              "2·log2(n)·α + 2(n-1)/n·S/B; Rabenseifner 2004, Thakur et al. 2005",
              halving_doubling_all_reduce, always, kMpi},
    Algorithm{"hierarchical", Collective::all_reduce,
              "2(g-1)·(α_0 + S/(g·B_0)) + 2(N-1)·(α + S/(N·B)); rings inside and across nodes",
              hierarchical_all_reduce, has_nodes, kOnRequest},
    Algorithm{"ring", Collective::reduce_scatter, "(n-1)·α + (n-1)/n·S/B; Patarasuk & Yuan 2009",
              ring_reduce_scatter, always, kBoth},
    Algorithm{"halving_doubling", Collective::reduce_scatter,
              "log2(n)·α + (n-1)/n·S/B, n a power of two; Thakur et al. 2005",
              halving_reduce_scatter, power_of_two, kMpi},
    Algorithm{"hierarchical", Collective::reduce_scatter,
              "(g-1)·(α_0 + S/(g·B_0)) + (N-1)·(α + S/(N·B)); rings inside and across nodes",
              hierarchical_reduce_scatter, has_nodes, kOnRequest},
    Algorithm{"ring", Collective::all_gather, "(n-1)·α + (n-1)/n·S/B; Patarasuk & Yuan 2009",
              ring_all_gather, always, kBoth},
    Algorithm{"halving_doubling", Collective::all_gather,
              "log2(n)·α + (n-1)/n·S/B, n a power of two; Thakur et al. 2005", doubling_all_gather,
              power_of_two, kMpi},
    Algorithm{"hierarchical", Collective::all_gather,
              "(g-1)·(α_0 + S/(g·B_0)) + (N-1)·(α + S/(N·B)); rings inside and across nodes",
              hierarchical_all_gather, has_nodes, kOnRequest},
    Algorithm{"pairwise", Collective::all_to_all,
              "(n-1)·(α + S/(n·B)), members of a node share its uplink; Thakur et al. 2005",
              pairwise_all_to_all, always, kBoth},
    Algorithm{"butterfly", Collective::butterfly,
              "log2(n)·(α + S/B), members of a node share its uplink; Thakur et al. 2005",
              butterfly_swaps, power_of_two, kBoth},
    Algorithm{"direct", Collective::push,
              "(n-1)·(α + S/(s·B)) to s servers, those of a node share its uplink; Li et al. 2014",
              direct_push, has_servers, kBoth},
    Algorithm{
        "direct", Collective::pull,
        "(n-1)·(α + S/(s·B)) from s servers, those of a node share its uplink; Li et al. 2014",
        direct_push, has_servers, kBoth},
};

}  // namespace

std::span<const Algorithm> all_algorithms() { return kAlgorithms; }

const Algorithm* find_algorithm(Collective collective, std::string_view name) {
  for (const Algorithm& row : kAlgorithms) {
    if (row.serves == collective && row.name == name) return &row;
  }
  return nullptr;
}

bool is_offered(const Algorithm& algorithm, const Device& device, const Framework& framework) {
  const bool on_request = !algorithm.offered.nccl && !algorithm.offered.mpi;
  return algorithm.offered.by(library_of(device)) || (on_request && framework.switches.empty());
}

void require_exchange(std::string_view name) {
  const bool sums = name == "auto" || find_algorithm(Collective::all_reduce, name) != nullptr;
  if (sums || chosen_exchange(name).row != nullptr) return;
  std::vector<std::string> known = {"auto"};
  for (const Algorithm& row : kAlgorithms) {
    if (row.serves == Collective::all_reduce) known.emplace_back(row.name);
  }
  for (const GradientExchange& row : all_gradient_exchanges()) known.emplace_back(row.name);
  throw InputError("exchange", in_quotes(name) + " is not an exchange of gradients",
                   suggestion(name_of_exchange(name), known));
}

const Algorithm& choose_algorithm(Collective collective, Bytes bytes, const Group& group,
                                  Library library, std::string_view name) {
  const Algorithm* named = name == "auto" ? nullptr : find_algorithm(collective, name);
  if (named != nullptr && named->applies(group)) return *named;
  const Algorithm* fastest = nullptr;
  Seconds least;
  for (const Algorithm& row : kAlgorithms) {
    if (row.serves != collective || !row.offered.by(library) || !row.applies(group)) continue;
    const Seconds time = row.time(bytes, group);
    if (fastest == nullptr || time < least) {
      fastest = &row;
      least = time;
    }
  }
  ensure(fastest != nullptr, "no algorithm serves this collective");
  return *fastest;
}

}  // namespace oracle
