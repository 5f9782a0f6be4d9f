#include "oracle/search/search.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "oracle/base/parallel.h"
#include "oracle/plan/stages.h"
#include "oracle/search/family_search.h"
#include "oracle/search/least_time.h"
#include "oracle/search/standing.h"

namespace oracle {
namespace {

/// Tools for threads to take and give back: each keeps the room and the prices of its work before,
/// until these are so many that they fill memory.
template <typename Tool>
class Workshop {
 public:
  struct Worn {
    std::unique_ptr<Tool> tool;
    int times = 0;
    Tool* operator->() const { return tool.get(); }
    Tool& operator*() const { return *tool; }
  };

  explicit Workshop(const Setting& setting) : setting_(setting) {}

  Worn take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return {std::make_unique<Tool>(setting_)};
    Worn tool = std::move(idle_.back());
    idle_.pop_back();
    return tool;
  }

  void give_back(Worn tool) {
    constexpr int kMostTimes = 2000;
    if (++tool.times > kMostTimes) return;
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(tool));
  }

 private:
  Setting setting_;
  std::mutex mutex_;
  std::vector<Worn> idle_;
};

/// What is refused for that reason; null: nothing so far.
Refused* refused_for(Constraint constraint, Ranking& ranking) {
  const auto row =
      std::find_if(ranking.refused.begin(), ranking.refused.end(),
                   [&](const Refused& known) { return known.constraint == constraint; });
  return row == ranking.refused.end() ? nullptr : &*row;
}

void add_refused(Refused& refused, Ranking& ranking) {
  Refused* row = refused_for(refused.constraint, ranking);
  if (row == nullptr) {
    ranking.refused.push_back(std::move(refused));
    return;
  }
  row->count += refused.count;
  if (shortfall(refused.reason) < shortfall(row->reason)) {
    row->nearest = std::move(refused.nearest);
    row->reason = std::move(refused.reason);
  }
}

/// The variants of what the space holds: of a pipeline, of one with several stages a rank, and of
/// anything else.
struct Variants {
  std::vector<Variant> of_pipeline, of_chunks, of_others;

  explicit Variants(const SearchRequest& request) {
    Strategy pipeline = request.base;
    pipeline.mesh = {{2, Cut::pipeline}};
    of_pipeline = variants_of(pipeline, request.base, request.space);
    pipeline.chunks = 2;
    of_chunks = variants_of(pipeline, request.base, request.space);
    Strategy other = request.base;
    other.mesh.clear();
    of_others = variants_of(other, request.base, request.space);
  }
  const std::vector<Variant>& of(const Strategy& strategy) const {
    if (!strategy.has(Cut::pipeline)) return of_others;
    return strategy.chunks > 1 ? of_chunks : of_pipeline;
  }
};

/// Why mesh axes are refused that stand alone: each is asked once.
class Axes {
 public:
  Axes(const Setting& setting, const SearchRequest& request)
      : setting_(setting), request_(request) {}

  const Infeasible* refusal(const MeshAxis& axis) {
    const auto [known, fresh] = known_.try_emplace({axis.cut, axis.degree});
    if (fresh) known->second = ask(axis);
    return known->second ? &*known->second : nullptr;
  }

 private:
  std::optional<Infeasible> ask(const MeshAxis& axis) const {
    Strategy alone = request_.base;
    alone.mesh = {axis};
    alone.micro_batches = alone.chunks = 1;
    alone.stages.clear();
    auto planned =
        partition_in_one_stage(setting_.graph, alone, request_.training, setting_.cluster);
    if (auto* refusal = std::get_if<Infeasible>(&planned)) return std::move(*refusal);
    if (axis.cut != Cut::pipeline) return std::nullopt;
    const auto& whole = std::get<Plan>(planned);
    auto stages = cut_stages(setting_.graph, whole.pieces, axis.degree, DataType::fp32);
    if (auto* refusal = std::get_if<Infeasible>(&stages)) return std::move(*refusal);
    return std::nullopt;
  }

  Setting setting_;
  const SearchRequest& request_;
  std::map<std::pair<Cut, std::int64_t>, std::optional<Infeasible>> known_;
};

/// A strategy to be planned.
struct Entry {
  Strategy strategy;
  SavingSpace savings;
  std::size_t index = 0;  ///< in the space

  /// Of a step, at least.
  Seconds time() const { return savings.least.empty() ? Seconds{} : savings.least.front().time; }
};

/// One search: what is planned comes in batches, whose bar is that of the batches before, so that
/// the answer does not depend on threads.
class Searching {
 public:
  Searching(const Setting& setting, const SearchRequest& request)
      : setting_(setting),
        request_(request),
        space_(on_network(setting.graph, request.space)),
        variants_(request),
        prunes_(request.prune && request.keep > 0),
        bar_(request.prune ? request.keep : 0, request.objective, request.within) {
    for (const Variant& variant : variants_.of_others) {
      require_exchange(variant.exchange);
    }
  }

  Ranking run() {
    list();
    if (prunes_ && request_.objective != Objective::memory && entries_.size() > 1) {
      find_least();
      refuse_too_large();
      sort_by_least();
    }
    std::size_t next = 0;
    while (next < entries_.size()) {
      const std::size_t end = batch_end(next);
      if (end == next) break;
      if (!plan(next, end)) break;
      next = end;
    }
    if (next < entries_.size() && !stopped_) {
      for (std::size_t i = next; i < entries_.size(); ++i) {
        ranking_.unplanned += size_of(entries_[i].strategy);
        ranking_.considered += size_of(entries_[i].strategy);
      }
    }
    finish();
    return std::move(ranking_);
  }

 private:
  std::int64_t size_of(const Strategy& strategy) const {
    return static_cast<std::int64_t>(variants_.of(strategy).size());
  }

  /// On a cluster with too few ranks every strategy fails for that one reason: the first tells it
  /// for all, since the space of an absurd number of ranks is too large to list.
  void list() {
    if (request_.ranks > setting_.cluster.ranks()) {
      Strategy first = request_.base;
      first.mesh = {{request_.ranks, Cut::sample}};
      entries_.push_back({first, savings_of(first, request_.training.batch, {})});
      strategies_ = size_of(first);
      return;
    }
    Axes axes(setting_, request_);
    RefusesAxis refuses;
    if (prunes_) refuses = [&](const MeshAxis& axis) { return axes.refusal(axis) != nullptr; };
    for_each_strategy(
        request_.ranks, request_.training.batch, request_.base, space_, refuses,
        [&](const Strategy& strategy, const MeshAxis* refused) {
          strategies_ += size_of(strategy);
          if (refused == nullptr) {
            entries_.push_back(
                {strategy, savings_of(strategy, request_.training.batch, space_), entries_.size()});
          } else {
            refuse(strategy, *axes.refusal(*refused));
          }
        });
  }

  void refuse(const Strategy& strategy, const Infeasible& refusal) {
    const std::int64_t count = size_of(strategy);
    ranking_.considered += count;
    Refused* row = refused_for(refusal.constraint, ranking_);
    if (row != nullptr && shortfall(refusal) >= shortfall(row->reason)) {
      row->count += count;
      return;
    }
    Refused refused{refusal.constraint, count, strategy, refusal};
    put(variants_.of(strategy).front(), refused.nearest);
    add_refused(refused, ranking_);
  }

  void find_least() {
    std::map<std::string, std::size_t> known;
    std::vector<const Entry*> distinct;
    std::vector<std::size_t> which;
    for (const Entry& entry : entries_) {
      const std::string common = to_text(in_common_order(entry.strategy));
      const auto [place, fresh] = known.try_emplace(common, distinct.size());
      if (fresh) distinct.push_back(&entry);
      which.push_back(place->second);
    }
    known.clear();
    std::vector<std::vector<Least>> least(distinct.size());
    Workshop<LeastTime> workshop(setting_);
    parallel_for(static_cast<std::int64_t>(distinct.size()), request_.threads, [&](std::int64_t i) {
      const auto index = static_cast<std::size_t>(i);
      auto own = workshop.take();
      least[index] = least_of(*distinct[index], *own);
      workshop.give_back(std::move(own));
    });
    for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i].savings.least = least[which[i]];
  }

  std::vector<Least> least_of(const Entry& entry, LeastTime& least) const {
    std::vector<Least> found;
    Strategy common = in_common_order(entry.strategy);
    for (const std::string& recompute : entry.savings.recompute) {
      common.recompute = recompute;
      found.push_back(least.of(common, request_.training, entry.savings.zero.back()));
    }
    return found;
  }

  /// What no rank has room for is not planned, but for the one that needs least, which says why.
  void refuse_too_large() {
    const Bytes available = setting_.cluster.rank_memory();
    const auto needed = [](const Entry& entry) {
      return entry.savings.least_memory(entry.savings.most());
    };
    Entry* smallest = nullptr;
    for (Entry& entry : entries_) {
      if (needed(entry) <= available) continue;
      if (smallest == nullptr || needed(entry) < needed(*smallest)) smallest = &entry;
    }
    if (smallest == nullptr) return;
    const std::size_t kept = smallest->index;
    smallest->savings.least.clear();
    std::erase_if(entries_, [&](const Entry& entry) {
      if (needed(entry) <= available || entry.index == kept) return false;
      too_large_ += size_of(entry.strategy);
      return true;
    });
  }

  /// The first to be planned are those that promise most.
  void sort_by_least() {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.time() < b.time(); });
  }

  /// Where the entries end that are planned together and can be among the best.
  std::size_t batch_end(std::size_t begin) const {
    constexpr std::size_t kBatch = 128;
    if (!prunes_) return entries_.size();
    std::size_t end = std::min(entries_.size(), begin + kBatch);
    const std::optional<Standing> bar = bar_.get();
    if (!bar || request_.objective == Objective::memory) return end;
    while (end > begin && entries_[end - 1].time() > bar->time) --end;
    return end;
  }

  /// False: it was stopped.
  bool plan(std::size_t begin, std::size_t end) {
    const auto count = static_cast<std::int64_t>(end - begin);
    const auto all = static_cast<std::int64_t>(entries_.size());
    std::vector<FamilyAnswer> answers(end - begin);
    const std::optional<Standing> bar = bar_.get();
    std::function<bool(std::int64_t)> pause;
    if (request_.progress) {
      pause = [&](std::int64_t done) {
        const std::int64_t planned = static_cast<std::int64_t>(begin) + done;
        return request_.progress(strategies_ * planned / all, strategies_);
      };
    }
    const auto one = [&](std::int64_t i) {
      const auto index = static_cast<std::size_t>(i);
      const Entry& entry = entries_[begin + index];
      auto family = families_.take();
      answers[index] = search_family(*family, entry.strategy, entry.savings,
                                     variants_.of(entry.strategy), request_, bar);
      families_.give_back(std::move(family));
    };
    stopped_ = !parallel_for(count, request_.threads, one, pause);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      for (const Candidate& found : answers[i].found) bar_.raise(standing_of(found));
      add(answers[i], entries_[begin + i].index);
    }
    return !stopped_;
  }

  void add(FamilyAnswer& answer, std::size_t index) {
    ranking_.considered += answer.considered;
    if (answer.is_unplanned) {
      ranking_.unplanned += answer.considered;
      return;
    }
    ranking_.fitting += answer.fitting;
    ranking_.priced += answer.priced;
    for (Refused& refused : answer.refused) add_refused(refused, ranking_);
    for (Candidate& found : answer.found) found_.push_back({std::move(found), index});
  }

  /// Counts what was too large to be planned with the one of them that was.
  void add_too_large() {
    Refused* row = refused_for(Constraint::memory, ranking_);
    if (too_large_ == 0 || row == nullptr) return;
    row->count += too_large_;
    ranking_.considered += too_large_;
  }

  /// Those to keep, best first; ties as in the space.
  void finish() {
    add_too_large();
    std::sort(found_.begin(), found_.end(), [&](const Found& a, const Found& b) {
      const Standing own = standing_of(a.candidate), other = standing_of(b.candidate);
      if (better(own, other, request_.objective)) return true;
      return !better(other, own, request_.objective) && a.index < b.index;
    });
    for (Found& found : found_) {
      if (!is_kept(found.candidate)) break;
      Candidate& candidate = ranking_.candidates.emplace_back(std::move(found.candidate));
      candidate.spending = spending_of(setting_.cluster, request_.ranks, candidate.step.time,
                                       request_.training.batch);
    }
    std::stable_sort(ranking_.refused.begin(), ranking_.refused.end(),
                     [](const Refused& a, const Refused& b) { return a.count > b.count; });
  }

  bool is_kept(const Candidate& candidate) const {
    if (request_.keep == 0 || ranking_.candidates.size() < request_.keep) return true;
    return request_.within > 0 &&
           candidate.step.time <= ranking_.candidates.front().step.time * (1 + request_.within);
  }

  struct Found {
    Candidate candidate;
    std::size_t index;  ///< in the space
  };

  Setting setting_;
  const SearchRequest& request_;
  SpaceOptions space_;
  Variants variants_;
  bool prunes_;
  Bar bar_;
  Workshop<Family> families_{setting_};
  std::vector<Entry> entries_;
  std::vector<Found> found_;
  std::int64_t strategies_ = 0;  ///< of the whole space
  std::int64_t too_large_ = 0;   ///< of these, for any rank's memory
  bool stopped_ = false;
  Ranking ranking_;
};

}  // namespace

std::string_view name_of(Objective objective) {
  constexpr std::array<std::string_view, 4> kNames = {"time", "throughput", "memory", "cost"};
  return kNames[static_cast<std::size_t>(objective)];
}

Ranking search(const Graph& graph, const Cluster& cluster, const Profile& profile,
               const SearchRequest& request) {
  return Searching({graph, cluster, profile}, request).run();
}

Spending spending_of(const Cluster& cluster, std::int64_t ranks, Seconds step, std::int64_t batch) {
  constexpr Seconds kHour{3600};
  const double devices = static_cast<double>(ranks) / static_cast<double>(cluster.ranks_per_device);
  Spending spending;
  spending.per_step = cluster.device.price_per_hour * devices * (step / kHour);
  spending.per_million_samples = spending.per_step * 1e6 / static_cast<double>(batch);
  return spending;
}

}  // namespace oracle
