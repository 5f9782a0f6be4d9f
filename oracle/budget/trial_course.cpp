#include "oracle/budget/trial_course.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <random>
#include <utility>

namespace oracle {
namespace {

/// Of which trials are best, where that changes how long a search takes.
constexpr std::uint64_t kDraws = 9;

struct Running {
  Seconds end;
  std::int64_t order = 0;
  TrialRun run;
  bool operator>(const Running& other) const {
    return end == other.end ? order > other.order : end > other.end;
  }
};

std::vector<double> drawn_losses(std::int64_t trials, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> losses(static_cast<std::size_t>(trials));
  for (double& loss : losses) loss = static_cast<double>(random());
  return losses;
}

}  // namespace

TrialCourse course_of(const TrialSearch& search, std::int64_t places, const TrialTimes& times,
                      std::uint64_t seed) {
  const std::vector<double> losses = drawn_losses(search.trials, seed);
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running;
  TrialQueue queue(search);
  TrialCourse course;
  course.runs.resize(static_cast<std::size_t>(search.rungs));
  Seconds now, taken;
  std::int64_t order = 0;
  const auto begin = [&] {
    while (static_cast<std::int64_t>(running.size()) < places) {
      const auto run = queue.next();
      if (!run) return;
      const double part = run->to - run->from;
      const Seconds time = times.start + times.whole * part;
      taken += time;
      course.trainings += part;
      ++course.runs[static_cast<std::size_t>(run->rung)];
      running.push({now + time, order++, *run});
    }
  };
  begin();
  while (!running.empty()) {
    const Running ended = running.top();
    running.pop();
    now = ended.end;
    queue.end(ended.run, losses[static_cast<std::size_t>(ended.run.trial)]);
    begin();
  }
  course.makespan = now;
  if (now > Seconds{}) course.busy = taken / (now * static_cast<double>(places));
  return course;
}

TrialCourses courses_of(const TrialSearch& search, std::int64_t places, const TrialTimes& times) {
  if (search.scheduler != TrialScheduler::asha) return {course_of(search, places, times, 1)};
  TrialCourses courses;
  Seconds least{std::numeric_limits<double>::infinity()}, most;
  for (std::uint64_t draw = 1; draw <= kDraws; ++draw) {
    const TrialCourse course = course_of(search, places, times, draw);
    const double share = 1.0 / kDraws;
    courses.mean.makespan += course.makespan * share;
    courses.mean.busy += course.busy * share;
    courses.mean.trainings += course.trainings * share;
    least = std::min(least, course.makespan);
    most = std::max(most, course.makespan);
    if (draw == 1) courses.mean.runs = course.runs;
  }
  courses.spread = 0.5 * ((most - least) / courses.mean.makespan);
  return courses;
}

}  // namespace oracle
