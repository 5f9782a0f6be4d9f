#include "microbench/storage/samples_json.h"

#include <array>
#include <nlohmann/json.hpp>

#include "microbench/timing/samples_file.h"

namespace oracle {

std::string storage_samples_json(const MeasuringContext& context,
                                 std::span<const StorageTimes> measured) {
  SamplesPart part{"storage", {}};
  for (const StorageTimes& times : measured) {
    nlohmann::ordered_json json = {{"operation", times.operation}, {"bytes", times.bytes}};
    if (times.workers != 1) json["workers"] = times.workers;
    if (times.cached) json["cached"] = true;
    json["median"] = times.series.median();
    json["low"] = times.series.quantile(0.1);
    json["high"] = times.series.quantile(0.9);
    json["count"] = times.series.values().size();
    part.rows.push_back(json.dump());
  }
  return samples_text(context, std::array{part});
}

}  // namespace oracle
