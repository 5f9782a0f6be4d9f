#include "oracle/report/token_section.h"

#include "oracle/report/text.h"

namespace oracle::report {

Fields token_fields(const TokenRates& rates, const Cluster& cluster) {
  const std::string word = rank_word(cluster);
  Cell tokens{.text = significant(rates.tokens) + " tokens/s, " +
                      significant(rates.tokens_per_rank) + " per " + word,
              .value = rates.tokens,
              .unit = "tokens/s"};
  Cell flops = rate(rates.per_rank);
  flops.text += " per " + word + ", " + percent(rates.utilization) +
                (rates.trains_all ? " of the peak (3 x forward" : " of the peak (gradients made") +
                ", pairs that the mask leaves, nothing twice)";
  Cell share{.text = percent(rates.utilization), .value = rates.utilization, .unit = {}};
  return {.key = "tokens",
          .title = {},
          .rows = {{"throughput", "throughput", tokens},
                   {"model_flops_per_rank", "utilization", flops},
                   {"model_flops_utilization", {}, share}}};
}

}  // namespace oracle::report
