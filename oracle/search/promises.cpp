#include "oracle/search/promises.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "oracle/base/parallel.h"

namespace oracle {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

}  // namespace

Strategy Point::strategy(Strategy base) const {
  base.mesh = mesh;
  base.micro_batches = micro_batches;
  base.chunks = chunks;
  base.schedule = schedule;
  base.rules.clear();
  const bool has_messages = base.has(Cut::alternate_sequence) || base.has(Cut::alternate_expert);
  base.tensor_overlap = base.tensor_overlap && has_messages;
  return base;
}

bool Point::differs_in_chunks_alone(const Point& other) const {
  return mesh == other.mesh && micro_batches == other.micro_batches && schedule == other.schedule;
}

bool Point::operator<(const Point& other) const {
  const auto before = [](const MeshAxis& a, const MeshAxis& b) {
    return std::tie(a.cut, a.degree) < std::tie(b.cut, b.degree);
  };
  if (mesh != other.mesh) {
    return std::lexicographical_compare(mesh.begin(), mesh.end(), other.mesh.begin(),
                                        other.mesh.end(), before);
  }
  return std::tie(micro_batches, schedule, chunks) <
         std::tie(other.micro_batches, other.schedule, other.chunks);
}

Promises::Promises(const Setting& setting, const SearchRequest& request, const SpaceOptions& space)
    : request_(request), space_(space), tools_(setting) {}

Promises::Id Promises::add(Point point) {
  point.mesh = in_common_order(std::move(point.mesh));
  const auto [place, fresh] = known_.try_emplace(std::move(point), static_cast<Id>(points_.size()));
  if (fresh) points_.push_back(&place->first);
  return place->second;
}

void Promises::find_runs() {
  run_of_.resize(points_.size());
  const Point* before = nullptr;
  for (const auto& [point, id] : known_) {
    if (before == nullptr || !point.differs_in_chunks_alone(*before)) runs_.emplace_back();
    runs_.back().ids.push_back(id);
    runs_.back().chunks.push_back(point.chunks);
    run_of_[id] = runs_.size() - 1;
    before = &point;
  }
}

void Promises::find_times() {
  find_runs();
  least_.resize(points_.size());
  std::vector<std::size_t> all(runs_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  ask(all, {0, 1});
}

void Promises::find_savings(const std::vector<Id>& ids) {
  std::vector<std::size_t> asked;
  for (const Id id : ids) {
    if (least_[id].size() == 1) asked.push_back(run_of_[id]);
  }
  std::sort(asked.begin(), asked.end());
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  ask(asked, {1, kAll});
}

void Promises::ask(const std::vector<std::size_t>& runs, Places recompute) {
  parallel_for(static_cast<std::int64_t>(runs.size()), request_.threads, [&](std::int64_t i) {
    const Run& run = runs_[runs[static_cast<std::size_t>(i)]];
    Strategy strategy = points_[run.ids.front()]->strategy(request_.base);
    const SavingSpace savings = savings_of(strategy, request_.training.batch, space_);
    auto tool = tools_.take();
    const std::size_t end = std::min(recompute.end, savings.recompute.size());
    for (std::size_t r = recompute.begin; r < end; ++r) {
      strategy.recompute = savings.recompute[r];
      const std::vector<Least> found =
          tool->of(strategy, request_.training, run.chunks, savings.zero.back());
      for (std::size_t p = 0; p < found.size(); ++p) least_[run.ids[p]].push_back(found[p]);
    }
    tools_.give_back(std::move(tool));
  });
}

}  // namespace oracle
