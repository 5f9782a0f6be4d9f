#include "oracle/accuracy/profile_parameters.h"

#include <algorithm>
#include <array>
#include <span>

#include "oracle/base/quantity_text.h"
#include "oracle/graph/layer.h"

namespace oracle {
namespace {

/// Messages as training sends them: a flag, a bias, a small layer, … a large dense layer.
constexpr std::array<Bytes, 6> kTypicalMessages = {Bytes{8},       Bytes{1024},    Bytes{65536},
                                                   Bytes{1 << 20}, Bytes{1 << 24}, Bytes{1 << 28}};

/// What a layer of a network streams through memory.
constexpr Bytes kStreamed{1 << 24};
using Parameters = std::vector<ProfileParameter>;

/// The evidence for a figure of the device; nothing where it was not measured.
const FigureSource* measured_source(const Device& device, std::string_view figure) {
  for (const FigureSource& source : device.sources) {
    if (source.figure == figure && source.kind == Source::measured) return &source;
  }
  return nullptr;
}

void device_figures(const Cluster& cluster, const Profile&, Parameters& out) {
  const Device& device = cluster.device;
  if (measured_source(device, "memory_bandwidth") != nullptr) {
    out.push_back(
        {{ParameterKind::device, "memory_bandwidth", "", ParameterUnit::bytes_per_second, true},
         {device.memory_bandwidth.value, Source::measured, 0}});
  }
  if (measured_source(device, "launch_overhead") != nullptr) {
    out.push_back({{ParameterKind::device, "launch_overhead", "", ParameterUnit::seconds, false},
                   {device.launch_overhead.value, Source::measured, 0}});
  }
}

const LinkPiece& piece_at(const LinkFit& fit, Bytes message) {
  std::size_t found = 0;
  while (found + 1 < fit.pieces.size() && fit.pieces[found + 1].from <= message) ++found;
  return fit.pieces[found];
}

/// A collective's figures are of its algorithm's messages, so those of two algorithms differ.
std::string name_of(const LinkFit& fit) {
  std::string name = fit.operation.empty() ? "message" : fit.operation;
  if (!fit.algorithm.empty()) name += " by " + fit.algorithm;
  if (fit.ranks > 0) name += " of " + std::to_string(fit.ranks);
  return name + " over " + fit.level;
}

void link_figures(const LinkFit& fit, Parameters& out) {
  const std::string name = name_of(fit);
  const auto add = [&](std::string at, ParameterUnit unit, bool more, double value, double off) {
    out.push_back(
        {{ParameterKind::link, name, std::move(at), unit, more}, {value, Source::fitted, off}});
  };
  const LinkPiece& shortest = fit.pieces.front();
  const LinkPiece& longest = fit.pieces.back();
  add("latency", ParameterUnit::seconds, false, shortest.latency.value, shortest.uncertainty);
  add("bandwidth", ParameterUnit::bytes_per_second, true, longest.bandwidth.value,
      longest.uncertainty);
  for (const Bytes message : kTypicalMessages) {
    if (message < fit.least || (fit.most.value > 0 && fit.most < message)) continue;
    const LinkPiece& piece = piece_at(fit, message);
    const Seconds time = piece.latency + message / piece.bandwidth;
    add(to_binary_text(message), ParameterUnit::seconds, false, time.value, piece.uncertainty);
  }
  if (fit.together > 0) add("flows together", ParameterUnit::ratio, true, fit.together, 0);
}

void all_links(const Cluster&, const Profile& profile, Parameters& out) {
  for (const LinkFit& fit : profile.links) {
    if (!fit.pieces.empty()) link_figures(fit, out);
  }
}

void overlap(const Cluster&, const Profile& profile, Parameters& out) {
  if (!profile.links.empty() || profile.overlap.any()) {
    out.push_back(
        {{ParameterKind::overlap, "computation during an exchange", "", ParameterUnit::ratio},
         {1 + profile.overlap.computing, Source::measured, 0}});
  }
  // Profiles of old know one figure for both.
  if (profile.overlap.exchange != profile.overlap.computing) {
    out.push_back(
        {{ParameterKind::overlap, "exchange during computation", "", ParameterUnit::ratio},
         {1 + profile.overlap.exchange, Source::measured, 0}});
  }
  const Contention& contention = profile.contention;
  if (contention.ranks == 0) return;
  out.push_back({{ParameterKind::overlap,
                  "compute of " + std::to_string(contention.ranks) + " co-running ranks", "",
                  ParameterUnit::ratio},
                 {1 + contention.slowdown, Source::fitted, 0}});
  const double shared = std::max(0.0, kStreamed.value - contention.own.value);
  out.push_back(
      {{ParameterKind::overlap,
        "waiting of " + std::to_string(contention.ranks) + " ranks on a memory",
        to_binary_text(kStreamed), ParameterUnit::seconds},
       {contention.sharing * contention.slope * shared, Source::fitted, contention.residual}});
}

std::string extents_text(std::span<const std::int64_t> extents) {
  std::string text;
  for (const std::int64_t extent : extents) {
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  }
  return text;
}

/// Channels and positions without axes that the tensor does not have.
std::string tensor_text(const std::array<std::int64_t, 4>& tensor) {
  const std::span<const std::int64_t> extents(tensor);
  if (tensor[1] > 1) return extents_text(extents);
  if (tensor[2] == 1 && tensor[3] == 1) return std::to_string(tensor[0]);
  return extents_text(std::array{tensor[0], tensor[2], tensor[3]});
}

void append_window(std::string& text, const char* what, const std::array<std::int64_t, 3>& window) {
  if (window == std::array<std::int64_t, 3>{1, 1, 1}) return;
  const std::span<const std::int64_t> extents(window);
  text += std::string(" ") + what + " " + extents_text(extents.subspan(window[0] == 1 ? 1 : 0));
}

/// All that a kernel's time depends on but for its family.
std::string shape_text(const KernelKey& key) {
  std::string text = std::to_string(key.samples) + "×" + tensor_text(key.input);
  if (key.inputs > 1) text += " ×" + std::to_string(key.inputs);
  text += " → " + tensor_text(key.output);
  append_window(text, "window", key.kernel);
  append_window(text, "stride", key.stride);
  append_window(text, "dilation", key.dilation);
  if (key.groups > 1) text += " groups " + std::to_string(key.groups);
  if (key.entries > 1) text += " entries " + std::to_string(key.entries);
  if (key.others > 0) text += " others " + std::to_string(key.others);
  return text;
}

void kernel_times(const Cluster&, const Profile& profile, Parameters& out) {
  for (const KernelTime& kernel : profile.kernels) {
    out.push_back({{ParameterKind::kernel, kernel_family(kernel.key), shape_text(kernel.key)},
                   {kernel.cost.time.value, kernel.cost.source, kernel.cost.uncertainty}});
  }
}

void storage_rates(const Cluster&, const Profile& profile, Parameters& out) {
  for (const StorageRate& rate : profile.storage) {
    std::string name(name_of(rate.operation));
    if (rate.workers > 1) name += " by " + std::to_string(rate.workers) + " workers";
    if (rate.cached) name += " from memory";
    const auto add = [&](const char* at, ParameterUnit unit, bool more, double value) {
      out.push_back({{ParameterKind::storage, name, at, unit, more},
                     {value, Source::fitted, rate.uncertainty}});
    };
    add("rate", ParameterUnit::bytes_per_second, true, rate.rate.value);
    if (rate.latency.value > 0) add("latency", ParameterUnit::seconds, false, rate.latency.value);
  }
}

struct KindRow {
  std::string_view name;
  void (*list)(const Cluster& cluster, const Profile& profile, Parameters& out);
};

/// In the order of ParameterKind.
constexpr std::array<KindRow, kParameterKindCount> kKinds = {{{"device", device_figures},
                                                              {"link", all_links},
                                                              {"overlap", overlap},
                                                              {"kernel", kernel_times},
                                                              {"storage", storage_rates}}};

}  // namespace

std::string_view name_of(ParameterKind kind) { return kKinds[static_cast<std::size_t>(kind)].name; }

std::string kernel_family(const KernelKey& key) {
  const auto pass = static_cast<Pass>(key.pass);
  std::string name = family_of(key);
  if (pass != Pass::update) name += " " + std::string(name_of(pass));
  return name + " " + std::string(name_of(key.type));
}

std::vector<ProfileParameter> parameters_of(const Cluster& cluster, const Profile& profile) {
  std::vector<ProfileParameter> all;
  for (const KindRow& kind : kKinds) kind.list(cluster, profile, all);
  return all;
}

}  // namespace oracle
