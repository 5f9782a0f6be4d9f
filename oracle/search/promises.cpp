#include "oracle/search/promises.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "oracle/base/parallel.h"

namespace oracle {

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

void Promises::find_times() {
  times_.resize(points_.size());
  least_.resize(points_.size());
  // Points that differ in chunks alone.
  using Place = std::map<Point, Id>::const_iterator;
  std::vector<std::pair<Place, Place>> runs;
  for (Place first = known_.begin(); first != known_.end();) {
    const Place last = std::find_if(first, known_.cend(), [&](const auto& known) {
      return known.first.mesh != first->first.mesh ||
             known.first.micro_batches != first->first.micro_batches ||
             known.first.schedule != first->first.schedule;
    });
    runs.emplace_back(first, last);
    first = last;
  }
  parallel_for(static_cast<std::int64_t>(runs.size()), request_.threads, [&](std::int64_t i) {
    const auto [first, last] = runs[static_cast<std::size_t>(i)];
    std::vector<std::int64_t> chunks;
    for (Place place = first; place != last; ++place) chunks.push_back(place->first.chunks);
    auto tool = tools_.take();
    const std::vector<Seconds> found =
        tool->times(first->first.strategy(request_.base), request_.training, chunks);
    tools_.give_back(std::move(tool));
    auto time = found.begin();
    for (Place place = first; place != last; ++place) times_[place->second] = *time++;
  });
}

void Promises::find_savings(const std::vector<Id>& ids) {
  std::vector<Id> asked;
  for (const Id id : ids) {
    if (least_[id].empty()) asked.push_back(id);
  }
  std::sort(asked.begin(), asked.end());
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  const auto count = static_cast<std::int64_t>(asked.size());
  parallel_for(count, request_.threads, [&](std::int64_t i) {
    const Id id = asked[static_cast<std::size_t>(i)];
    Strategy strategy = points_[id]->strategy(request_.base);
    const SavingSpace savings = savings_of(strategy, request_.training.batch, space_);
    auto tool = tools_.take();
    for (const std::string& recompute : savings.recompute) {
      strategy.recompute = recompute;
      least_[id].push_back(tool->of(strategy, request_.training, savings.zero.back()));
    }
    tools_.give_back(std::move(tool));
  });
}

}  // namespace oracle
