#include "oracle/io/jobs/job.h"

#include <algorithm>
#include <array>

#include "oracle/base/error.h"
#include "oracle/io/file_bytes.h"
#include "oracle/io/jobs/megatron_job.h"
#include "oracle/io/jobs/torchtitan_job.h"

namespace oracle {
namespace {

constexpr std::size_t kMostLogBytes = std::size_t{1} << 28U;
constexpr std::array<std::string_view, 4> kLogEndings = {".log", ".out", ".txt", ".sh"};

std::string bytes_of_job(const std::filesystem::path& file) {
  std::string bytes = read_bytes(file, kMostLogBytes);
  if (bytes.size() <= kMostLogBytes) return bytes;
  throw InputError(file.string(), "is longer than 256 MiB", "give its first part");
}

}  // namespace

Job read_job(std::string_view text, const std::string& name, std::optional<std::int64_t> ranks) {
  return titan::is_log(text) ? titan::job_in(text, name, ranks)
                             : megatron::job_in(text, name, ranks);
}

JobNetwork read_job_network(std::string_view text, const std::string& name) {
  return titan::is_log(text) ? titan::job_in(text, name, std::nullopt).network
                             : megatron::network_in(text, name);
}

JobNetwork load_job_network(const std::filesystem::path& file) {
  return read_job_network(bytes_of_job(file), file.string());
}

Job load_job(const std::filesystem::path& file, std::optional<std::int64_t> ranks) {
  return read_job(bytes_of_job(file), file.string(), ranks);
}

bool is_log_name(std::string_view name) {
  return std::any_of(kLogEndings.begin(), kLogEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace oracle
