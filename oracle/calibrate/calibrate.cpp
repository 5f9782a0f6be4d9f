#include "oracle/calibrate/calibrate.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "oracle/base/error.h"
#include "oracle/calibrate/crowd_fit.h"
#include "oracle/calibrate/kernel_fit.h"
#include "oracle/calibrate/kernel_table.h"
#include "oracle/calibrate/link_fit.h"
#include "oracle/calibrate/one_size.h"
#include "oracle/calibrate/storage_fit.h"
#include "oracle/cluster/device_name.h"

namespace oracle {
namespace {

void measured_figure(std::vector<FigureSource>& sources, std::vector<std::string>& assumptions,
                     const std::string& figure, const std::string& text) {
  for (FigureSource& source : sources) {
    if (source.figure != figure) continue;
    std::erase(assumptions, figure + ": " + source.text);
    source.kind = Source::measured;
    source.text = text;
    return;
  }
  sources.push_back({figure, Source::measured, text});
}

std::int64_t most_threads(std::span<const CopyRate> copies) {
  std::int64_t most = 0;
  for (const CopyRate& copy : copies) most = std::max(most, copy.threads);
  return most;
}

/// What one thread copies while the most do the same: in the mean of several times, for what they
/// share changes.
std::vector<CopySpeed> copies_of_one(std::span<const CopyRate> copies) {
  struct Copied {
    Bytes bytes;
    Seconds packing, unpacking;
  };
  std::map<Bytes, Copied> by_size;
  const std::int64_t most = most_threads(copies);
  for (const CopyRate& copy : copies) {
    if (copy.threads != most) continue;
    Copied& all = by_size[copy.bytes];
    all.bytes += copy.bytes;
    all.packing += copy.pack;
    all.unpacking += copy.unpack;
  }
  std::vector<CopySpeed> speeds;
  for (const auto& [bytes, all] : by_size) {
    speeds.push_back({bytes, all.bytes / all.packing, all.bytes / all.unpacking});
  }
  return speeds;
}

/// Of copies to and fro: what is read and what is written.
Bandwidth memory_bandwidth(const CopySpeed& copied, std::int64_t threads) {
  const Seconds both = copied.bytes / copied.pack + copied.bytes / copied.unpack;
  return copied.bytes * (4 * static_cast<double>(threads)) / both;
}

bool is_empty(const KernelSample& sample) { return to_text(sample.layer) == kEmptyKernel; }

void measure_device(Cluster& cluster, const CalibrationSamples& samples) {
  Device& device = cluster.device;
  if (const auto copies = copies_of_one(samples.copies); !copies.empty()) {
    const std::int64_t threads = most_threads(samples.copies);
    device.memory_bandwidth = memory_bandwidth(copies.back(), threads);
    measured_figure(device.sources, cluster.assumptions, "memory_bandwidth",
                    "copies by " + std::to_string(threads) + " threads at the same time");
  }
  const auto empty = std::find_if(
      samples.kernels.begin(), samples.kernels.end(),
      [](const KernelSample& sample) { return is_empty(sample) && sample.pass == Pass::forward; });
  if (empty != samples.kernels.end()) {
    device.launch_overhead = empty->time.median;
    measured_figure(device.sources, cluster.assumptions, "launch_overhead", "an empty kernel");
  }
}

bool are_alike(DeviceClass one_class, const std::string& one, DeviceClass other_class,
               const std::string& other) {
  if (one_class != other_class) return false;
  return one_class == DeviceClass::cpu || may_be_one_model(one, other);
}

std::vector<KernelSample> without_empty(std::span<const KernelSample> kernels) {
  std::vector<KernelSample> kept;
  std::copy_if(kernels.begin(), kernels.end(), std::back_inserter(kept),
               [](const KernelSample& sample) { return !is_empty(sample); });
  return kept;
}

/// Old samples do not say.
Placement placement_of(const std::vector<std::pair<std::string, std::string>>& measured) {
  const auto said = std::find_if(measured.begin(), measured.end(),
                                 [](const auto& entry) { return entry.first == "machine"; });
  const bool moves = said != measured.end() && said->second.find("virtual") != std::string::npos;
  return moves ? Placement::moves : Placement::stays;
}

/// Every name once, with the values of all files that differ.
std::vector<std::pair<std::string, std::string>> merged_context(
    const std::vector<std::vector<std::pair<std::string, std::string>>>& contexts) {
  std::vector<std::pair<std::string, std::string>> merged;
  for (const auto& context : contexts) {
    for (const auto& said : context) {
      const auto found = std::find_if(merged.begin(), merged.end(),
                                      [&](const auto& entry) { return entry.first == said.first; });
      if (found == merged.end()) {
        merged.push_back(said);
      } else if (("; " + found->second + "; ").find("; " + said.second + "; ") ==
                 std::string::npos) {
        found->second += "; " + said.second;
      }
    }
  }
  return merged;
}

}  // namespace

Seconds Coverage::needed() const {
  return spent * (static_cast<double>(reached + unreached) / static_cast<double>(reached));
}

std::string to_text(const Coverage& coverage) {
  if (coverage.unreached == 0) return {};
  const auto whole = [](double number) {
    return std::to_string(static_cast<std::int64_t>(std::ceil(number)));
  };
  return std::to_string(coverage.unreached) + " of " +
         std::to_string(coverage.reached + coverage.unreached) + " shapes were not reached in " +
         whole(coverage.spent.value) + " s; --seconds " + whole(coverage.needed().value) +
         " would reach them";
}

Coverage coverage_of(const CalibrationSamples& samples) {
  const auto number = [&](std::string_view name) {
    return std::strtod(context_value(samples, name).c_str(), nullptr);
  };
  std::set<std::string> shapes;
  for (const KernelSample& kernel : samples.kernels) shapes.insert(to_text(kernel.layer));
  return {shapes.size(), static_cast<std::size_t>(number("shapes not measured")),
          Seconds{number("seconds")}};
}

void require_same_device(const CalibrationSamples& samples, const Device& described) {
  const std::string measured = context_value(samples, "device");
  const std::string kernels = context_value(samples, "kernels");
  if (samples.kernels.empty() || measured.empty() || kernels.empty()) return;
  const bool on_cpu = kernels.starts_with("oneDNN");
  if (are_alike(on_cpu ? DeviceClass::cpu : DeviceClass::gpu, measured, described.device_class,
                described.name)) {
    return;
  }
  throw InputError("--cluster",
                   "describes " + described.name + ", and the kernels were measured on " + measured,
                   "give the description of the machine that was measured");
}

Calibration calibrate(const CalibrationSamples& samples, const Cluster& described,
                      const std::string& name) {
  require_same_device(samples, described.device);
  Calibration out;
  ProfileFile& file = out.file;
  file.measured = merged_context(samples.contexts);
  file.cluster = described;
  Profile& profile = file.profile;
  profile.name = name;
  profile.kernels = kernel_table(without_empty(samples.kernels), samples.compressions);
  profile.fits = fit_kernels(profile.kernels);
  measure_device(file.cluster, samples);
  LinkFits links = fit_links(on_levels_of(described, samples.links));
  describe_one_size(links, described);
  profile.links = std::move(links.fits);
  profile.overlap = fit_overlap(samples.interference);
  profile.contention = fit_contention(samples.crowd, placement_of(file.measured));
  profile.staging = copies_of_one(samples.copies);
  profile.storage = fit_storage(samples.storage);
  out.left_out = std::move(links.left_out);
  return out;
}

Calibration merge(std::span<const ProfileFile> files, const std::string& name) {
  Calibration out;
  out.file.cluster = files.front().cluster;
  std::map<KernelKey, Cost> kernels;
  std::map<std::tuple<std::string, std::string, std::int64_t, std::int64_t>, LinkFit> links;
  std::map<std::tuple<StorageOperation, std::int64_t, bool>, StorageRate> storage;
  std::vector<std::vector<std::pair<std::string, std::string>>> contexts;
  Profile& profile = out.file.profile;
  const Device& first = files.front().cluster.device;
  for (const ProfileFile& file : files) {
    const Device& device = file.cluster.device;
    const bool other_cpu = first.device_class == DeviceClass::cpu && first.name != device.name;
    if (other_cpu || !are_alike(first.device_class, first.name, device.device_class, device.name)) {
      throw InputError(
          "--merge",
          "profiles of " + first.name + " and of " + device.name + " are not of one machine",
          "merge profiles of the same device");
    }
    contexts.push_back(file.measured);
    for (const KernelTime& kernel : file.profile.kernels) kernels[kernel.key] = kernel.cost;
    for (const LinkFit& link : file.profile.links) {
      links[{link.level, link.operation, link.ranks, link.per_unit}] = link;
    }
    for (const StorageRate& rate : file.profile.storage) {
      storage[{rate.operation, rate.workers, rate.cached}] = rate;
    }
    if (file.profile.overlap.any()) profile.overlap = file.profile.overlap;
    if (file.profile.contention.ranks > 0) profile.contention = file.profile.contention;
    if (!file.profile.staging.empty()) profile.staging = file.profile.staging;
  }
  out.file.measured = merged_context(contexts);
  profile.name = name;
  for (const auto& [key, cost] : kernels) profile.kernels.push_back({key, cost});
  for (auto& [level, link] : links) profile.links.push_back(std::move(link));
  for (const auto& [operation, rate] : storage) profile.storage.push_back(rate);
  profile.fits = fit_kernels(profile.kernels);
  return out;
}

}  // namespace oracle
