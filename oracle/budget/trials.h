#pragma once
// In which order does a search of hyper-parameters train its trials, and how far?
//
// A trial is trained from rung to rung: to R·η^-(K-1), …, R/η, R for K rungs, where R is a whole
// training. From each rung one in η goes on, those of the least loss:
//
//   random     every trial goes to R at once; a grid does too
//   halving    a rung is judged when all its trials are there       Jamieson, Talwalkar, 1502.07943
//   hyperband  brackets of halving that begin at each rung: ⌈K/(s+1)·η^s⌉ trials at R·η^-s for
//              s = K-1, …, 0                                           Li et al., arXiv 1603.06560
//   asha       what is among the best in η of those there goes on: none waits
//                                                                      Li et al., arXiv 1810.05934
//
// Worked: 81 trials on 4 rungs of η = 3 are 81, 27, 9 and 3 runs, to 1/27, 1/9, 1/3 and 1 of R:
// 9 trainings in place of 81                                         tests/budget/trials_test.cpp

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace oracle {

enum class TrialScheduler : std::uint8_t { random, halving, hyperband, asha };
inline constexpr std::size_t kTrialSchedulerCount = 4;
std::string_view name_of(TrialScheduler scheduler);

struct TrialSearch {
  TrialScheduler scheduler = TrialScheduler::random;
  std::int64_t trials = 1;
  std::int64_t rungs = 4;
  std::int64_t eta = 3;  ///< one in so many goes on
};

/// Trials that are compared with each other alone.
struct Bracket {
  std::int64_t trials = 0;
  std::int64_t first_rung = 0;
  bool waits = true;  ///< a rung is judged when all that come to it are there
};

/// Those of the search, of which the last may have fewer trials than the scheduler would give it.
std::vector<Bracket> brackets_of(const TrialSearch& search);

/// Trials of a sweep of Hyperband, where no number is asked for.
std::int64_t trials_of_sweep(std::int64_t rungs, std::int64_t eta);

/// The part of a whole training at which a rung ends.
double part_at(const TrialSearch& search, std::int64_t rung);

/// A piece of a trial's training: from one rung, or the start, to the next.
struct TrialRun {
  std::int64_t trial = 0;
  std::int64_t rung = 0;  ///< at whose end it is judged
  std::size_t bracket = 0;
  double from = 0, to = 1;  ///< parts of a whole training
};

/// Says what is trained next. The same queue serves a simulation and a machine.
class TrialQueue {
 public:
  explicit TrialQueue(const TrialSearch& search);

  /// What may begin now; none: nothing may before another run ends, or nothing is left.
  std::optional<TrialRun> next();
  /// The run is over, with this loss.
  void end(const TrialRun& run, double loss);

 private:
  using Judged = std::pair<double, std::int64_t>;  ///< loss and trial

  /// Trials that came to a rung: the best, one in η, and the others.
  struct Rung {
    std::set<Judged> best, others;
    std::set<Judged> waiting;     ///< of the best those that did not go on
    std::set<std::int64_t> gone;  ///< trials that went on
    std::int64_t there() const { return static_cast<std::int64_t>(best.size() + others.size()); }
  };
  struct Course {
    Bracket bracket;
    std::int64_t begun = 0, first_trial = 0;
    std::vector<Rung> rungs;  ///< those at which trials are judged
  };

  bool is_judged(const Course& course, std::size_t rung) const;
  std::int64_t expected(const Course& course, std::size_t rung) const;
  std::optional<TrialRun> next_of(std::size_t bracket);
  TrialRun run_to(std::int64_t trial, std::int64_t rung, std::size_t bracket) const;

  TrialSearch search_;
  std::vector<Course> courses_;
};

}  // namespace oracle
