#pragma once
// What do the strategies of a space promise before any of them is planned?
//
// Strategies that differ in the order of their mesh axes promise the same (least_time.h): each such
// point is asked once, its time at the start, as all are sorted by it, and what it takes with each
// saving when its turn comes.                                    tests/properties/pruning_test.cpp

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "oracle/search/least_time.h"
#include "oracle/search/search.h"
#include "oracle/search/workshop.h"

namespace oracle {

/// What a space sets of a strategy: its base has the rest.
struct Point {
  std::vector<MeshAxis> mesh;
  std::int64_t micro_batches = 0;
  std::int64_t chunks = 1;
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;

  Strategy strategy(Strategy base) const;
  bool differs_in_chunks_alone(const Point& other) const;
  /// Those that differ in chunks alone are neighbours.
  bool operator<(const Point& other) const;
};

class Promises {
 public:
  using Id = std::uint32_t;

  /// What is referred to must outlive it; `space` is that of on_network().
  Promises(const Setting& setting, const SearchRequest& request, const SpaceOptions& space);

  /// That of a point, which others in another order of axes have too.
  Id add(Point point);

  /// Asks what all that were added take at least with no saving of activations but base's.
  void find_times();
  Seconds time(Id id) const { return least_[id].front().time; }

  /// Asks what these take with each saving more.
  void find_savings(const std::vector<Id>& ids);
  /// By saving of activations, once that was asked.
  const std::vector<Least>& least(Id id) const { return least_[id]; }

 private:
  /// Points that differ in chunks alone: one plan answers for all of them.
  struct Run {
    std::vector<Id> ids;
    std::vector<std::int64_t> chunks;
  };

  /// Of a list: from `begin` up to `end`.
  struct Places {
    std::size_t begin, end;
  };

  void find_runs();
  /// Of the savings of activations those at these places.
  void ask(const std::vector<std::size_t>& runs, Places recompute);

  const SearchRequest& request_;
  const SpaceOptions& space_;
  Workshop<LeastTime> tools_;
  std::map<Point, Id> known_;
  std::vector<const Point*> points_;
  std::vector<Run> runs_;
  std::vector<std::size_t> run_of_;
  std::vector<std::vector<Least>> least_;
};

}  // namespace oracle
