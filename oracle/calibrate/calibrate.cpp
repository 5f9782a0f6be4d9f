#include "oracle/calibrate/calibrate.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "oracle/calibrate/crowd_fit.h"
#include "oracle/calibrate/kernel_fit.h"
#include "oracle/calibrate/kernel_table.h"
#include "oracle/calibrate/link_fit.h"
#include "oracle/calibrate/storage_fit.h"

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

void measure_device(Cluster& cluster, const CalibrationSamples& samples,
                    std::span<const KernelTime> kernels) {
  Device& device = cluster.device;
  if (const auto copies = copies_of_one(samples.copies); !copies.empty()) {
    const std::int64_t threads = most_threads(samples.copies);
    device.memory_bandwidth = memory_bandwidth(copies.back(), threads);
    measured_figure(device.sources, cluster.assumptions, "memory_bandwidth",
                    "copies by " + std::to_string(threads) + " threads at the same time");
  }
  const auto least = std::min_element(
      kernels.begin(), kernels.end(),
      [](const KernelTime& a, const KernelTime& b) { return a.cost.time < b.cost.time; });
  if (least != kernels.end()) {
    device.launch_overhead = least->cost.time;
    measured_figure(device.sources, cluster.assumptions, "launch_overhead",
                    "the shortest of the kernels measured");
  }
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

Calibration calibrate(const CalibrationSamples& samples, const Cluster& described,
                      const std::string& name) {
  Calibration out;
  ProfileFile& file = out.file;
  file.measured = merged_context(samples.contexts);
  file.cluster = described;
  Profile& profile = file.profile;
  profile.name = name;
  profile.kernels = kernel_table(samples.kernels);
  profile.fits = fit_kernels(profile.kernels);
  measure_device(file.cluster, samples, profile.kernels);
  LinkFits links = fit_links(on_levels_of(described, samples.links));
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
  std::map<std::tuple<std::string, std::string, std::int64_t>, LinkFit> links;
  std::map<std::tuple<StorageOperation, std::int64_t, bool>, StorageRate> storage;
  std::vector<std::vector<std::pair<std::string, std::string>>> contexts;
  Profile& profile = out.file.profile;
  for (const ProfileFile& file : files) {
    contexts.push_back(file.measured);
    for (const KernelTime& kernel : file.profile.kernels) kernels[kernel.key] = kernel.cost;
    for (const LinkFit& link : file.profile.links) {
      links[{link.level, link.operation, link.ranks}] = link;
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
