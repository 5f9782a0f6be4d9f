#include "oracle/evaluate/reading.h"

#include <algorithm>

namespace oracle {

ReadingTime reading_time(const SampleReading& reading, std::int64_t samples, std::int64_t ranks,
                         std::int64_t per_host, std::int64_t workers) {
  const StorageSystem& storage = reading.storage;
  const auto sharing = static_cast<double>(storage.shared ? ranks : std::min(ranks, per_host));
  const auto each = static_cast<double>(samples);
  const auto threads = static_cast<double>(workers);
  const double read = 1 - reading.cached;
  const Seconds together =
      reading.sample * (each * sharing) / bandwidth_of(storage.read, sharing * threads);
  const Seconds one = storage.open / static_cast<double>(reading.samples_per_file) +
                      reading.sample / bandwidth_of(storage.read, 1);
  const double decode = reading.decoded_per_second > 0 ? 1 / reading.decoded_per_second : 0;
  return {together * read, (one * read + Seconds{decode}) * (each / threads)};
}

}  // namespace oracle
