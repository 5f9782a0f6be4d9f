#include <array>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/quantity_text.h"
#include "oracle/base/suggest.h"
#include "oracle/plan/exchanges/averaging.h"
#include "oracle/plan/exchanges/gradient_exchange.h"
#include "oracle/plan/exchanges/quantized.h"
#include "oracle/plan/exchanges/servers.h"
#include "oracle/plan/exchanges/sparse.h"

namespace oracle {
namespace {

/// As frameworks call them.
constexpr std::string_view kShortForServers = "ps";
constexpr bool kFeedback = true;

double none(std::string_view) { return 0; }
bool never(double) { return false; }
bool always(double) { return true; }

constexpr std::array kExchanges = {
    GradientExchange{"fp16", "", "all-reduce of gradients in fp16; Horovod's Compression.fp16",
                     ExchangeRoute::sum, !kFeedback, 0, half_bytes, none, never},
    GradientExchange{"bf16", "", "all-reduce of gradients in bf16; DDP's bf16_compress_hook",
                     ExchangeRoute::sum, !kFeedback, 0, half_bytes, none, never},
    GradientExchange{"int8", "",
                     "8 bits a value, a scale for 512, error feedback; Alistarh et al. 2017",
                     ExchangeRoute::scatter_gather, kFeedback, 0, int8_bytes, none, never},
    GradientExchange{"onebit", "",
                     "a sign a value, two means for 512, error feedback; Seide et al. 2014",
                     ExchangeRoute::scatter_gather, kFeedback, 0, onebit_bytes, none, never},
    GradientExchange{
        "topk", "1%",
        "places and values of the largest, error feedback; Aji & Heafield 2017, Lin et "
        "al. 2018",
        ExchangeRoute::gather, kFeedback, kPassesToSelect, topk_bytes, read_kept_share, keeps_all},
    GradientExchange{"gtopk", "1%",
                     "the largest of all ranks' together, merged pair by pair, error feedback; Shi "
                     "et al. 2019",
                     ExchangeRoute::merge, kFeedback, kPassesToSelect, topk_bytes, read_kept_share,
                     keeps_all},
    GradientExchange{"sketch", "1%",
                     "sums of count-sketches, and of the values that they say are largest, error "
                     "feedback; Ivkin et al. 2019",
                     ExchangeRoute::sketch, kFeedback, static_cast<int>(kSketchRows), sketch_bytes,
                     read_kept_share, never},
    GradientExchange{"local", "8",
                     "weights that each rank trains by itself, averaged every 8 steps; Stich 2019",
                     ExchangeRoute::average, !kFeedback, 0, nullptr, read_period, averages_always},
    GradientExchange{"servers", "4",
                     "gradients to 4 of the ranks, which update a part of the weights each; Li et "
                     "al. 2014",
                     ExchangeRoute::servers, !kFeedback, 0, nullptr, read_servers, always},
};

[[noreturn]] void refuse(std::string_view exchange, const std::string& message,
                         std::string remedy) {
  throw InputError("exchange", in_quotes(exchange) + message, std::move(remedy));
}

/// What is written to ask for a row.
std::string example(const GradientExchange& row) {
  std::string text = "write exchange=" + std::string(row.name);
  if (!row.parameter.empty()) text += ":" + std::string(row.parameter);
  return text;
}

}  // namespace

std::span<const GradientExchange> all_gradient_exchanges() { return kExchanges; }

std::string_view name_of_exchange(std::string_view exchange) {
  return exchange.substr(0, exchange.find(':'));
}

ChosenExchange chosen_exchange(std::string_view exchange) {
  const std::string_view name = name_of_exchange(exchange);
  if (name == kShortForServers) return chosen_exchange("servers" + std::string(exchange.substr(2)));
  for (const GradientExchange& row : kExchanges) {
    if (row.name != name) continue;
    const bool given = name.size() < exchange.size();
    if (given && row.parameter.empty()) refuse(exchange, " takes no number", example(row));
    if (!given && !row.parameter.empty()) refuse(exchange, " has no number", example(row));
    if (!given) return {&row, 0};
    try {
      return {&row, row.read(exchange.substr(name.size() + 1))};
    } catch (const QuantityError& error) {
      refuse(exchange, ": " + std::string(error.what()), example(row));
    }
  }
  return {};
}

}  // namespace oracle
