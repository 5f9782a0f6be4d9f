#include "oracle/search/search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "oracle/base/parallel.h"
#include "oracle/plan/stages.h"
#include "oracle/search/family_search.h"
#include "oracle/search/promises.h"
#include "oracle/search/standing.h"

namespace oracle {
namespace {

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

/// The variants of what the space holds: of a pipeline, of one with several stages a rank, and
/// whose backward is two turns, and of anything else.
struct Variants {
  Strategy parted;  ///< the search's base, with such a backward
  std::vector<Variant> of_pipeline, of_chunks, of_parted, of_others;

  explicit Variants(const SearchRequest& request) : parted(request.base) {
    Strategy pipeline = request.base;
    pipeline.mesh = {{2, Cut::pipeline}};
    of_pipeline = variants_of(pipeline, request.base, request.space);
    pipeline.chunks = 2;
    of_chunks = variants_of(pipeline, request.base, request.space);
    parted.schedule = PipelineSchedule::zb_h1;
    of_parted = variants_of(pipeline, parted, request.space);
    Strategy other = request.base;
    other.mesh.clear();
    of_others = variants_of(other, request.base, request.space);
  }
  const std::vector<Variant>& of(const Point& point) const {
    const bool pipeline =
        std::any_of(point.mesh.begin(), point.mesh.end(),
                    [](const MeshAxis& axis) { return axis.cut == Cut::pipeline; });
    if (!pipeline) return of_others;
    if (point.schedule != of_chunks.front().schedule) return of_parted;
    return point.chunks > 1 ? of_chunks : of_pipeline;
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

constexpr double kAnyTime = std::numeric_limits<double>::infinity();

/// A strategy to be planned.
struct Entry {
  Point point;
  std::uint32_t index = 0;  ///< in the space
  std::uint32_t run = 0;    ///< of neighbours that differ in chunks or schedule alone
  Promises::Id promise = 0;
};

/// One with what it may save.
struct Planned {
  const Entry* entry;
  Strategy strategy;
  SavingSpace savings;
  bool is_late = false;  ///< cannot be among the best
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
        promises_(setting, request, space_),
        prunes_(request.prune && request.keep > 0),
        bar_(request.prune ? request.keep : 0, request.objective, request.within) {
    for (const Variant& variant : variants_.of_others) {
      require_exchange(variant.exchange);
    }
  }

  Ranking run() {
    list();
    if (promises()) sort_by_time();
    std::size_t next = 0;
    while (next < entries_.size()) {
      const std::size_t end = batch_end(next);
      if (end == next) break;
      if (!plan(next, end)) break;
      next = end;
    }
    if (!stopped_) {
      for (std::size_t i = next; i < entries_.size(); ++i)
        add_unplanned(size_of(entries_[i].point));
      plan_smallest();
    }
    finish();
    return std::move(ranking_);
  }

 private:
  /// Whether strategies are planned in the order of what they promise.
  bool promises() const {
    return prunes_ && request_.objective != Objective::memory && entries_.size() > 1;
  }

  std::int64_t size_of(const Point& point) const {
    return static_cast<std::int64_t>(variants_.of(point).size());
  }

  void add_unplanned(std::int64_t count) {
    ranking_.unplanned += count;
    ranking_.considered += count;
  }

  /// On a cluster with too few ranks every strategy fails for that one reason: the first tells it
  /// for all, since the space of an absurd number of ranks is too large to list.
  void list() {
    if (request_.ranks > setting_.cluster.ranks()) {
      entries_.push_back({{{{request_.ranks, Cut::sample}},
                           request_.base.micro_batches,
                           request_.base.chunks,
                           request_.base.schedule}});
      strategies_ = size_of(entries_.back().point);
      return;
    }
    Axes axes(setting_, request_);
    RefusesAxis refuses;
    if (prunes_) refuses = [&](const MeshAxis& axis) { return axes.refusal(axis) != nullptr; };
    for_each_strategy(
        request_.ranks, request_.training.batch, request_.base, space_, refuses,
        [&](const Strategy& strategy, const MeshAxis* refused) {
          Point point{strategy.mesh, strategy.micro_batches, strategy.chunks, strategy.schedule};
          strategies_ += size_of(point);
          if (refused == nullptr) {
            add_entry(std::move(point));
          } else {
            refuse(point, *axes.refusal(*refused));
          }
        });
  }

  void add_entry(Point point) {
    const auto index = static_cast<std::uint32_t>(entries_.size());
    std::uint32_t run = 0;
    if (!entries_.empty()) {
      const Entry& before = entries_.back();
      const bool goes_on =
          point.mesh == before.point.mesh && point.micro_batches == before.point.micro_batches;
      run = before.run + (goes_on ? 0 : 1);
    }
    entries_.push_back({std::move(point), index, run});
  }

  void refuse(const Point& point, const Infeasible& refusal) {
    const std::int64_t count = size_of(point);
    ranking_.considered += count;
    Refused* row = refused_for(refusal.constraint, ranking_);
    if (row != nullptr && shortfall(refusal) >= shortfall(row->reason)) {
      row->count += count;
      return;
    }
    Refused refused{refusal.constraint, count, point.strategy(request_.base), refusal};
    put(variants_.of(point).front(), refused.nearest);
    add_refused(refused, ranking_);
  }

  /// The first to be planned are those whose runs promise most.
  void sort_by_time() {
    for (Entry& entry : entries_) entry.promise = promises_.add(entry.point);
    promises_.find_times();
    times_.assign(entries_.back().run + 1, Seconds{kAnyTime});
    for (const Entry& entry : entries_) {
      times_[entry.run] = std::min(times_[entry.run], promises_.time(entry.promise));
    }
    std::stable_sort(entries_.begin(), entries_.end(), [&](const Entry& a, const Entry& b) {
      return std::tuple(time(a), a.run, a.point.schedule) <
             std::tuple(time(b), b.run, b.point.schedule);
    });
  }

  /// Of a step of its run, at least.
  Seconds time(const Entry& entry) const { return times_[entry.run]; }

  /// Where the entries end that are planned together and can be among the best.
  std::size_t batch_end(std::size_t begin) const {
    if (!prunes_) return entries_.size();
    const std::optional<Standing> bar = bar_.get();
    const std::size_t most = bar ? 128 : 16;
    std::size_t end = std::min(entries_.size(), begin + most);
    if (!bar || !promises()) return end;
    while (end > begin && time(entries_[end - 1]) > bar->time) --end;
    return end;
  }

  std::vector<Planned> list_planned(std::size_t begin, std::size_t end) const {
    std::vector<Planned> planned;
    for (std::size_t i = begin; i < end; ++i) {
      Strategy strategy = entries_[i].point.strategy(request_.base);
      SavingSpace savings = savings_of(strategy, request_.training.batch, space_);
      planned.push_back({&entries_[i], std::move(strategy), std::move(savings)});
    }
    return planned;
  }

  /// Leaves out those that no rank has room for, whatever they save.
  void find_savings(std::vector<Planned>& planned) {
    std::vector<Promises::Id> ids;
    for (const Planned& own : planned) ids.push_back(own.entry->promise);
    promises_.find_savings(ids);
    std::erase_if(planned, [&](Planned& own) {
      own.savings.least = promises_.least(own.entry->promise);
      const Bytes needed = own.savings.least_memory(own.savings.most());
      if (needed <= setting_.cluster.rank_memory()) return false;
      too_large_ += size_of(own.entry->point);
      if (smallest_ == nullptr || needed < smallest_needs_) {
        smallest_ = own.entry;
        smallest_needs_ = needed;
      }
      return true;
    });
  }

  /// Leaves out those that cannot be among the best in their own order of axes.
  void leave_out_late(Seconds bar, std::vector<Planned>& planned) {
    // Those that differ in chunks alone are asked together.
    std::vector<std::span<Planned>> runs;
    for (auto first = planned.begin(); first != planned.end();) {
      const auto last = std::find_if(first, planned.end(), [&](const Planned& own) {
        return !own.entry->point.differs_in_chunks_alone(first->entry->point);
      });
      runs.emplace_back(first, last);
      first = last;
    }
    parallel_for(static_cast<std::int64_t>(runs.size()), request_.threads, [&](std::int64_t i) {
      auto family = families_.take();
      find_late(runs[static_cast<std::size_t>(i)], *family, bar);
      families_.give_back(std::move(family));
    });
    std::erase_if(planned, [&](const Planned& own) {
      if (own.is_late) add_unplanned(size_of(own.entry->point));
      return own.is_late;
    });
  }

  /// Which have no step that fits and is as short as `bar`? Where stages begin depends on what is
  /// computed again.
  void find_late(std::span<Planned> run, Family& family, Seconds bar) const {
    for (Planned& own : run) own.is_late = true;
    Strategy strategy = run.front().strategy;
    Saving saving = run.front().savings.most();
    for (saving.recompute = 0; saving.recompute <= run.front().savings.most().recompute;
         ++saving.recompute) {
      std::vector<Planned*> asked;
      std::vector<std::int64_t> chunks;
      for (Planned& own : run) {
        if (!own.is_late || own.savings.least[saving.recompute].time > bar) continue;
        if (own.savings.least_memory(saving) > setting_.cluster.rank_memory()) continue;
        asked.push_back(&own);
        chunks.push_back(own.strategy.chunks);
      }
      if (asked.empty()) continue;
      if (strategy.has(Cut::pipeline)) {
        strategy.recompute = run.front().savings.recompute[saving.recompute];
      }
      const auto least = family.least_steps(strategy, request_.training, chunks);
      for (std::size_t i = 0; i < asked.size(); ++i) asked[i]->is_late = least[i] > bar;
    }
  }

  /// False: it was stopped.
  bool plan(std::size_t begin, std::size_t end) {
    std::vector<Planned> planned = list_planned(begin, end);
    if (promises()) find_savings(planned);
    const std::optional<Standing> bar = bar_.get();
    if (promises() && bar) leave_out_late(bar->time, planned);
    return plan(planned, [&](std::int64_t done) {
      const auto considered = static_cast<std::int64_t>(begin) + done;
      return strategies_ * considered / static_cast<std::int64_t>(entries_.size());
    });
  }

  /// The one that needs least of those that no rank has room for: it says what is missing.
  void plan_smallest() {
    if (smallest_ == nullptr) return;
    too_large_ -= size_of(smallest_->point);
    Strategy strategy = smallest_->point.strategy(request_.base);
    SavingSpace savings = savings_of(strategy, request_.training.batch, space_);
    std::vector<Planned> one;
    one.push_back({smallest_, std::move(strategy), std::move(savings)});
    plan(one, [&](std::int64_t) { return strategies_; });
  }

  /// `considered`: strategies once so many of these are planned. False: it was stopped.
  bool plan(const std::vector<Planned>& planned,
            const std::function<std::int64_t(std::int64_t)>& considered) {
    std::vector<FamilyAnswer> answers(planned.size());
    const std::optional<Standing> bar = bar_.get();
    std::function<bool(std::int64_t)> pause;
    if (request_.progress) {
      pause = [&](std::int64_t done) { return request_.progress(considered(done), strategies_); };
    }
    const auto one = [&](std::int64_t i) {
      const auto index = static_cast<std::size_t>(i);
      const Planned& own = planned[index];
      auto family = families_.take();
      answers[index] = search_family(*family, own.strategy, own.savings,
                                     variants_.of(own.entry->point), request_, bar);
      families_.give_back(std::move(family));
    };
    const auto count = static_cast<std::int64_t>(planned.size());
    stopped_ = !parallel_for(count, request_.threads, one, pause);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      for (const Candidate& found : answers[i].found) bar_.raise(standing_of(found));
      add(answers[i], planned[i].entry->index);
    }
    return !stopped_;
  }

  void add(FamilyAnswer& answer, std::size_t index) {
    if (answer.is_unplanned) return add_unplanned(answer.considered);
    ranking_.considered += answer.considered;
    ranking_.fitting += answer.fitting;
    ranking_.priced += answer.priced;
    for (Refused& refused : answer.refused) add_refused(refused, ranking_);
    for (Candidate& found : answer.found) found_.push_back({std::move(found), index});
  }

  /// Counts what was too large to be planned with the one of them that was.
  void add_too_large() {
    Refused* row = refused_for(Constraint::memory, ranking_);
    ranking_.considered += too_large_;
    if (row != nullptr) row->count += too_large_;
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
  Promises promises_;
  bool prunes_;
  Bar bar_;
  Workshop<Family> families_{setting_};
  std::vector<Entry> entries_;
  std::vector<Seconds> times_;  ///< of a step at least, by run
  std::vector<Found> found_;
  std::int64_t strategies_ = 0;  ///< of the whole space
  std::int64_t too_large_ = 0;   ///< of these, for any rank's memory
  const Entry* smallest_ = nullptr;
  Bytes smallest_needs_;
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
