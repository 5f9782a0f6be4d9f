#include "validate/bench/step_bench.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <tuple>
#include <variant>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "microbench/timing/speed_guard.h"
#include "oracle/base/error.h"
#include "oracle/base/statistics.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "validate/bench/alone.h"
#include "validate/bench/processor_time.h"
#include "validate/bench/times.h"
#include "validate/data/dataset.h"
#include "validate/equivalence/solo.h"
#include "validate/executor/executor.h"
#include "validate/record/rank_record.h"
#include "validate/train/training.h"

namespace oracle {
namespace {

constexpr double kRate = 0.001;

std::string key_of(const std::string& layer, Pass pass) {
  return layer + ' ' + std::string(name_of(pass));
}

Plan serial_plan(const StepBenchRequest& request) {
  Training training;
  training.batch = request.batch;
  training.optimizer = optimizer_named("momentum");
  auto made = partition(request.graph, Strategy{}, training, load_cluster("here"));
  if (const auto* refusal = std::get_if<Infeasible>(&made)) {
    throw InputError(request.graph.name, to_text(*refusal), "choose a smaller batch");
  }
  return std::get<Plan>(std::move(made));
}

ExecutorOptions options_of(const Plan& plan) {
  ExecutorOptions options;
  options.optimizer = optimizer_step(plan.training.optimizer, kRate);
  return options;
}

class Bench {
 public:
  Bench(const StepBenchRequest& request, Beside* beside)
      : request_(request),
        beside_(beside),
        plan_(serial_plan(request)),
        inner_(make_cpu_backend(1)),
        backend_(watched(*inner_, watch_)),
        executor_(request.graph, plan_, *backend_, solo_, options_of(plan_)),
        data_(request.graph, 1) {
    for (const KernelSpec& spec : executor_.program().kernels) {
      const LocalLayer& local = spec.layer;
      if (!local.layer->has_filters()) continue;
      if (!can_run_alone(local)) {
        throw InputError(local.layer->name, "oneDNN alone is timed on no transposed convolutions",
                         "choose a network without them");
      }
      locals_.emplace(local.layer->name, &local);
    }
  }

  StepBench run() {
    executor_.step(++steps_);
    if (beside_ != nullptr) beside_->step();
    for (std::int64_t round = 0; round < request_.rounds; ++round) {
      take_step();
      take_alone();
      if (beside_ == nullptr) continue;
      const double before = SpeedGuard::speed_now();
      const auto beside = beside_->step();
      times_.at_speed((before + SpeedGuard::speed_now()) / 2);
      for (const auto& [name, seconds] : beside) {
        times_.add("beside: " + name, seconds);
        ways_.insert(name);
      }
    }
    StepBench bench = summary();
    bench.activation_reorders = judged_reorders();
    return bench;
  }

 private:
  void take_step() {
    watch_.clear();
    const ReorderCount before = inner_->reorders();
    const double samples = samples_seconds();
    const double speed = SpeedGuard::speed_now();
    const auto wall = std::chrono::steady_clock::now();
    const double start = processor_seconds();
    executor_.step(++steps_);
    const double step = processor_seconds() - start - samples;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - wall;
    times_.at_speed((speed + SpeedGuard::speed_now()) / 2);
    times_.add("step", step);
    times_.add("wall", passed.count() - samples);
    times_.add("samples", samples);
    times_.add("update", watch_.update_seconds);
    times_.add("sum", watch_.sum_seconds);
    double contractions = 0;
    for (const auto& [at, time] : watch_.passes) {
      times_.add("in step: " + key_of(at.first, at.second), time.seconds);
      if (locals_.count(at.first) > 0) contractions += time.seconds;
    }
    times_.add("contractions", contractions);
    const ReorderCount after = inner_->reorders();
    reorders_ = {after.count - before.count, after.bytes - before.bytes, 0};
    times_.add("reorders", after.seconds - before.seconds);
  }

  /// Those of the last step.
  std::vector<ActivationReorder> judged_reorders() {
    std::vector<ActivationReorder> reorders = watch_.reorders;
    for (ActivationReorder& reorder : reorders) {
      const auto local = locals_.find(reorder.layer);
      if (local == locals_.end() || reorder.kind == "dense") continue;
      const std::int64_t in = reorder.gradient ? 0 : reorder.from_block;
      const std::int64_t out = reorder.gradient ? reorder.from_block : 0;
      reorder.dictated = !alone_.has_kernel(*local->second, reorder.pass, in, out);
      if (reorder.dictated) continue;
      const double with = watch_.passes.at({reorder.layer, reorder.pass}).seconds;
      reorder.pays = alone_.best_seconds_in(*local->second, reorder.pass, in, out, 1) > with;
    }
    return reorders;
  }

  /// What making this batch's inputs costs, which the step does as well.
  double samples_seconds() const {
    const Region region = whole_region(extents_of(request_.graph[0].output, request_.batch));
    std::vector<float> values(static_cast<std::size_t>(region.elements()));
    const double start = processor_seconds();
    data_.inputs(region, steps_ * request_.batch, values);
    return processor_seconds() - start;
  }

  void take_alone() {
    std::map<std::string, double> by_shape;  ///< work
    double all = 0;
    for (const auto& [at, time] : watch_.passes) {
      const auto local = locals_.find(at.first);
      if (local == locals_.end()) continue;
      if (!runs(*local->second->layer, at.second)) continue;
      const auto [found, fresh] = by_shape.emplace(shape_of(*local->second, at.second), 0);
      if (fresh) {
        const double seconds =
            alone_.best_seconds(*local->second, at.second, static_cast<int>(request_.repeats));
        times_.at_speed(SpeedGuard::speed_now());
        found->second = times_.work(seconds);
      }
      times_.add_work("alone: " + key_of(at.first, at.second), found->second);
      all += found->second;
    }
    times_.add_work("alone", all);
  }

  /// No one wants the gradient of the network's input.
  static bool runs(const Layer& layer, Pass pass) {
    return pass != Pass::backward_data || layer.inputs[0] != 0;
  }

  StepBench summary() const {
    StepBench bench;
    bench.kernels = inner_->library();
    bench.processor = inner_->device();
    bench.step_seconds = times_.middle("step");
    bench.step_wall_seconds = times_.middle("wall");
    bench.samples_seconds = times_.middle("samples");
    bench.contraction_seconds = times_.middle("contractions");
    bench.alone_seconds = times_.middle("alone");
    bench.update_seconds = times_.middle("update");
    bench.sum_seconds = times_.middle("sum");
    bench.reorders = reorders_;
    bench.reorders.seconds = times_.middle("reorders");
    std::map<std::pair<std::string, Pass>, double> kinds;
    for (LayerId id = 0; id < request_.graph.size(); ++id) {
      add_layer(request_.graph[id], bench, kinds);
    }
    for (const auto& [at, seconds] : kinds) bench.kinds.push_back({at.first, at.second, seconds});
    if (beside_ != nullptr) bench.beside = beside_->name();
    for (const std::string& name : ways_) {
      bench.beside_seconds[name] = times_.middle("beside: " + name);
    }
    std::tie(bench.slowest, bench.fastest) = times_.range();
    return bench;
  }

  void add_layer(const Layer& layer, StepBench& bench,
                 std::map<std::pair<std::string, Pass>, double>& kinds) const {
    for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
      const std::string key = key_of(layer.name, pass);
      if (!times_.has("in step: " + key)) continue;
      const double seconds = times_.middle("in step: " + key);
      if (locals_.count(layer.name) == 0) {
        kinds[{std::string(layer.kind->name), pass}] += seconds;
      } else if (runs(layer, pass)) {
        const double flops = layer.flops(pass) * static_cast<double>(request_.batch);
        bench.flops += flops;
        bench.contractions.push_back(
            {layer.name, pass, flops, seconds, times_.middle("alone: " + key)});
      }
    }
  }

  const StepBenchRequest& request_;
  Beside* beside_;
  Plan plan_;
  Watch watch_;
  std::unique_ptr<Backend> inner_, backend_;
  Solo solo_;
  Executor executor_;
  Dataset data_;
  Alone alone_;
  std::map<std::string, const LocalLayer*> locals_;  ///< of convolutions and dense layers
  std::int64_t steps_ = 0;
  Times times_;
  std::set<std::string> ways_;  ///< of the program beside to take its step
  ReorderCount reorders_;
};

}  // namespace

std::int64_t StepBench::avoidable_reorders() const {
  return std::count_if(activation_reorders.begin(), activation_reorders.end(),
                       [](const ActivationReorder& reorder) { return reorder.avoidable(); });
}

double StepBench::speed_beside() const {
  if (beside_seconds.empty()) return 0;
  const auto least =
      std::min_element(beside_seconds.begin(), beside_seconds.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return least->second / step_seconds;
}

StepBench measure_step(const StepBenchRequest& request, Beside* beside) {
  return Bench(request, beside).run();
}

}  // namespace oracle
