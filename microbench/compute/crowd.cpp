#include "microbench/compute/crowd.h"

#include <barrier>
#include <future>

#include "microbench/compute/shuffled.h"
#include "microbench/compute/stay_on_core.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr std::uint64_t kSeed = 1;

/// A thread's own.
struct Bench {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<CaseBench> bench;
};

/// Each made by a thread of its own, which touches its memory first.
std::vector<Bench> benches_of(const CrowdBench::Make& make, const LayerCase& of,
                              const CrowdPlan& plan) {
  std::vector<std::future<Bench>> making;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    making.push_back(std::async(std::launch::async, [&, rank] {
      stay_on_core_of(rank);
      Bench one{make(), nullptr};
      one.bench = std::make_unique<CaseBench>(*one.backend, of, plan.rotation);
      return one;
    }));
  }
  std::vector<Bench> made;
  for (std::future<Bench>& one : making) made.push_back(one.get());
  return made;
}

Series together(std::vector<Bench>& benches, const BenchPass& pass, const CrowdPlan& plan,
                int calls) {
  std::barrier meet(static_cast<std::ptrdiff_t>(benches.size()));
  std::vector<std::future<Series>> running;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    running.push_back(std::async(std::launch::async, [&, rank] {
      stay_on_core_of(rank);
      Bench& one = benches[static_cast<std::size_t>(rank)];
      Series series;
      try {
        for (int i = 0; i < plan.calls; ++i) {
          series.add(one.bench->once(pass, plan.clock, calls, [&] { meet.arrive_and_wait(); }));
        }
      } catch (...) {
        meet.arrive_and_drop();
        throw;
      }
      return series;
    }));
  }
  Series all;
  for (std::future<Series>& one : running) all.add(one.get());
  return all;
}

void alone(Bench& first, const BenchPass& pass, const CrowdPlan& plan, int calls, Series& series) {
  for (int i = 0; i < plan.calls; ++i) {
    series.add(first.bench->once(pass, plan.clock, calls, {}));
  }
}

}  // namespace

CrowdBench::CrowdBench(Make make, std::span<const LayerCase> cases, const CrowdPlan& plan)
    : make_(std::move(make)), cases_(cases), plan_(plan) {
  std::mt19937_64 random(kSeed);
  if (plan.ranks > 1) order_ = shuffled(cases.size(), random);
}

void CrowdBench::run_up_to(double seconds) {
  while (next_ < order_.size() && spent_ < seconds) {
    const double begin = now(Clock::wall);
    try {
      measure_case(cases_[order_[next_++]]);
    } catch (const InputError&) {
    } catch (const EnvironmentError&) {
    }
    spent_ += now(Clock::wall) - begin;
  }
}

void CrowdBench::measure_case(const LayerCase& of) {
  std::vector<Bench> benches = benches_of(make_, of, plan_);
  Bench& first = benches.front();
  for (const BenchPass& pass : passes_of(layer_of(of))) {
    const int calls = first.bench->calls_at_a_time(pass, plan_.clock);
    CrowdSample sample;
    sample.layer = to_text(of);
    sample.type = first.backend->precision();
    sample.pass = pass;
    sample.ranks = plan_.ranks;
    alone(first, pass, plan_, calls, sample.alone);
    const double before = plan_.sharing();
    sample.beside = together(benches, pass, plan_, calls);
    sample.sharing = (before + plan_.sharing()) / 2;
    alone(first, pass, plan_, calls, sample.alone);
    samples_.push_back(std::move(sample));
  }
}

}  // namespace oracle
