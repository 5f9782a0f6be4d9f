#include "oracle/plan/exchanges/servers.h"

#include <algorithm>

#include "oracle/base/quantity_text.h"
#include "oracle/plan/exchanges/compressed_bucket.h"

namespace oracle {
namespace {

constexpr std::int64_t kMostServers = 1'000'000;

}  // namespace

double read_servers(std::string_view text) {
  return static_cast<double>(parse_count(text, 1, kMostServers));
}

ServedBucket::ServedBucket(std::int64_t servers, const Transfer& sum, int value_bytes,
                           std::int64_t ranks, bool apart) {
  const auto elements = static_cast<std::int64_t>(sum.bytes.value) / value_bytes;
  const std::int64_t serve = std::min(servers, ranks);
  const Bytes part{static_cast<double>(part_of(elements, serve) * value_bytes)};
  const Bytes arriving = part * static_cast<double>(ranks - 1);

  Transfer push = sum;
  push.collective = Collective::push;
  push.bytes = part * static_cast<double>(serve);
  push.beside = arriving;
  push.servers = serve;
  push.apart = apart;
  Compression reduce{CompressionStep::reduce, sum.layer, elements, arriving * 3,
                     push.bytes + arriving};
  // A server has its part apart from the weights that it trains with.
  reduce.kept = part;
  if (apart) {
    // And a buffer each way for each of the others.
    reduce.touched = arriving * 2;
    reduce.held = push.bytes;
    reduce.kept += arriving * 2;
    push.beside = Bytes{};
  }
  steps_ = {push, reduce};
  pull_ = push;
  pull_.collective = Collective::pull;
  pull_.payload = Payload::weight;
  pull_.beside = Bytes{};
}

}  // namespace oracle
