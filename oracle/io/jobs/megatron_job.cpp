#include "oracle/io/jobs/megatron_job.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "oracle/base/in_quotes.h"
#include "oracle/cluster/cluster.h"
#include "oracle/io/jobs/megatron_log.h"
#include "oracle/io/jobs/megatron_modules.h"
#include "oracle/io/jobs/megatron_network.h"
#include "oracle/io/jobs/megatron_script.h"

namespace oracle::megatron {
namespace {

/// An argument that each job has.
constexpr std::string_view kAlways = "micro_batch_size";
constexpr std::int64_t kMostBatchOfJob = 1'000'000'000;

/// What such a log leaves unsaid when it is usual.
struct UsualArgument {
  std::string_view argument;
  std::array<std::string_view, 2> values;  ///< beside None and what is not there
};
/// Arguments that change a step and that nothing here turns into a part of the question.
constexpr std::array<UsualArgument, 19> kUsual = {{
    {"decoder_first_pipeline_num_layers", {}},
    {"decoder_last_pipeline_num_layers", {}},
    {"pipeline_model_parallel_layout", {}},
    {"account_for_embedding_in_pipeline_split", {"False"}},
    {"account_for_loss_in_pipeline_split", {"False"}},
    {"enable_cuda_graph", {"False"}},
    {"external_cuda_graph", {"False"}},
    {"cuda_graph_impl", {"none"}},
    {"fp8_param_gather", {"False"}},
    {"cross_entropy_fusion_impl", {"native"}},
    {"mtp_num_layers", {}},
    {"rampup_batch_size", {}},
    {"moe_expert_capacity_factor", {}},
    {"moe_shared_expert_overlap", {"False"}},
    {"delay_wgrad_compute", {"False"}},
    {"window_size", {}},
    {"reset_attention_mask", {"False"}},
    {"fine_grained_activation_offloading", {"False"}},
    {"cpu_offloading", {"False"}},
}};

std::string axis_of(std::string_view name, std::int64_t degree) {
  return degree > 1 ? "," + std::string(name) + ":" + std::to_string(degree) : "";
}

/// The list without the comma that each axis begins with.
std::string mesh_of(const std::string& axes) { return axes.empty() ? "data:1" : axes.substr(1); }

/// What the arguments say of how the network is shared out, as a strategy.
class StrategyWriter {
 public:
  explicit StrategyWriter(JobArguments& arguments) : arguments_(arguments) { read_degrees(); }

  std::string run() {
    std::string text = axes();
    // Those of a pipeline are chosen where nothing is said.
    option("micro_batches", micro_batches_, pipeline_ > 1 ? 0 : 1);
    option("chunks", chunks_, 1);
    write_shards();
    const bool overlaps = arguments_.flag("overlap_grad_reduce") || zero_ > 1;
    if (data_ * context_ > 1 && !overlaps) options_ += "; overlap=off";
    write_recomputation();
    const bool sequence = arguments_.flag("sequence_parallel");
    if (tensor_ > 1 && sequence && arguments_.flag("tp_comm_overlap")) {
      options_ += "; tensor_overlap=on";
    }
    if (experts_ > 1 && arguments_.flag("overlap_moe_expert_parallel_comm")) {
      options_ += "; expert_overlap=on";
    }
    // DeepEP and HybridEP send a token once to each node.
    if (experts_ > 1 && arguments_.text("moe_token_dispatcher_type") == "flex") {
      options_ += "; token_groups=all";
    }
    if (arguments_.flag("optimizer_cpu_offload")) options_ += "; offload=optimizer";
    return text + options_;
  }

  std::int64_t ranks() const { return ranks_; }
  std::int64_t batch() const { return batch_; }
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  void read_degrees() {
    ranks_ = arguments_.count("world_size", kMaxRanks);
    tensor_ = arguments_.count_or("tensor_model_parallel_size", kMaxRanks, 1);
    pipeline_ = arguments_.count_or("pipeline_model_parallel_size", kMaxRanks, 1);
    context_ = arguments_.count_or("context_parallel_size", kMaxRanks, 1);
    experts_ = arguments_.count_or("expert_model_parallel_size", kMaxRanks, 1);
    expert_tensor_ = arguments_.count_or("expert_tensor_parallel_size", kMaxRanks, tensor_);
    chunks_ = arguments_.count_or("virtual_pipeline_model_parallel_size", kMaxRanks, 1);
    layers_ = arguments_.count("num_layers", kMaxRanks);
    const std::int64_t micro_batch = arguments_.count(kAlways, kMostBatchOfJob);
    std::int64_t rest = ranks_;
    for (const std::int64_t degree : {tensor_, pipeline_, context_}) {
      if (rest % degree != 0) {
        arguments_.problem("world_size",
                           std::to_string(ranks_) +
                               " ranks are not whole groups of tensor, pipeline and "
                               "context parallel ones",
                           "say how many there are (of oracle job: --gpus)");
        return;
      }
      rest /= degree;
    }
    data_ = rest;
    if (micro_batch > kMostBatchOfJob / data_) {
      arguments_.problem(kAlways, "more than " + std::to_string(kMostBatchOfJob) + " a step");
      return;
    }
    batch_ = arguments_.count_or("global_batch_size", kMostBatchOfJob, micro_batch * data_);
    if (batch_ % data_ != 0 || batch_ / data_ % micro_batch != 0) {
      arguments_.problem("global_batch_size", std::to_string(batch_) +
                                                  " samples are not whole micro-batches of " +
                                                  std::to_string(micro_batch) + " on each of " +
                                                  std::to_string(data_) + " data parallel groups");
      return;
    }
    micro_batches_ = batch_ / data_ / micro_batch;
  }

  void option(std::string_view name, std::int64_t value, std::int64_t usual) {
    if (value != usual) options_ += "; " + std::string(name) + "=" + std::to_string(value);
  }

  /// Pipelines are outside of replicas, or inside with use_tp_pp_dp_mapping.
  std::string outer(const std::string& data) const {
    const std::string pipeline = axis_of("pipeline", pipeline_);
    return arguments_.flag("use_tp_pp_dp_mapping") ? data + pipeline : pipeline + data;
  }

  std::string_view context_axis() const {
    const std::string_view kind = arguments_.text("cp_comm_type");
    if (kind.find("allgather") != std::string_view::npos ||
        kind.find("all_gather") != std::string_view::npos) {
      return "context";
    }
    return kind.find("a2a") != std::string_view::npos ? "ulysses" : "ring";
  }

  std::string axes() {
    const std::string_view tensor =
        arguments_.flag("sequence_parallel") ? "tensor_sequence" : "tensor";
    if (!arguments_.has_experts() || experts_ == 1) {
      return mesh_of(outer(axis_of("data", data_)) + axis_of(context_axis(), context_) +
                     axis_of(tensor, tensor_));
    }
    if (context_ > 1) return axes_of_experts_beside_contexts();
    const bool apart = tensor_ > 1 && expert_tensor_ == 1;
    if (!apart && expert_tensor_ != tensor_) return refused();
    const std::int64_t of_data = apart ? experts_ / tensor_ : experts_;
    if ((apart && experts_ % tensor_ != 0) || data_ % of_data != 0) return refused();
    return mesh_of(outer(axis_of("data", data_ / of_data)) + axis_of("expert", of_data) +
                   axis_of(apart ? "tensor_expert" : tensor, tensor_));
  }

  /// Experts lie on the ranks of tensors, then on those of contexts, then on those of data.
  std::string axes_of_experts_beside_contexts() {
    if (expert_tensor_ != 1 || experts_ % tensor_ != 0) return refused();
    const std::int64_t rest = experts_ / tensor_;
    const std::int64_t of_context = std::min(rest, context_);
    const std::int64_t of_data = rest / of_context;
    if (rest % of_context != 0 || context_ % of_context != 0 || data_ % of_data != 0) {
      return refused();
    }
    const std::string name(context_axis());
    const std::string shared = axis_of("data", data_ / of_data);
    const std::string around = axis_of(name, context_ / of_context);
    return mesh_of(outer(shared + axis_of("data", of_data)) + around + axis_of(name, of_context) +
                   axis_of("tensor_sequence", tensor_)) +
           "; *experts*=" +
           mesh_of(outer(shared + axis_of("expert", of_data)) + around +
                   axis_of("expert", of_context) + axis_of("expert", tensor_));
  }

  std::string refused() {
    arguments_.problem("expert_model_parallel_size",
                       std::to_string(experts_) + " with expert_tensor_parallel_size " +
                           std::to_string(expert_tensor_) + " is no mesh that is known");
    return "data:1";
  }

  void write_shards() {
    const bool fsdp = arguments_.flag("use_megatron_fsdp") || arguments_.flag("use_custom_fsdp");
    const std::string_view kind = arguments_.text("data_parallel_sharding_strategy");
    zero_ = arguments_.flag("use_distributed_optimizer") ? 1 : 0;
    if (arguments_.flag("use_torch_fsdp2") || (fsdp && kind == "optim_grads_params")) zero_ = 3;
    if (fsdp && kind == "optim_grads") zero_ = 2;
    // Megatron-DeepSpeed: "1" or "1.0".
    const std::string_view stage = arguments_.text("zero_stage");
    if (arguments_.flag("deepspeed") && !stage.empty() && stage[0] >= '0' && stage[0] <= '3') {
      zero_ = stage[0] - '0';
    }
    if (data_ * context_ == 1) zero_ = 0;
    option("zero", zero_, 0);
    const std::int64_t copies =
        arguments_.count_or("num_distributed_optimizer_instances", kMaxRanks, 1);
    if (zero_ > 0 && copies > 1 && data_ % copies == 0) option("shard", data_ / copies, 1);
  }

  void write_recomputation() {
    const std::string_view granularity = arguments_.flag("checkpoint_activations")
                                             ? "full"
                                             : arguments_.text("recompute_granularity");
    if (granularity == "selective") {
      std::vector<std::string> unknown;
      const auto again = recomputation_of(arguments_.text("recompute_modules"), unknown);
      if (!again.empty()) options_ += "; recompute=" + again;
      for (const std::string& name : unknown) {
        left_out_.push_back("recompute_modules " + in_quotes(name));
      }
    } else if (granularity == "full") {
      options_ += "; recompute=" + whole_blocks();
    }
  }

  /// "block": the first blocks of each stage; else all, one at a time.
  std::string whole_blocks() {
    const std::int64_t stages = pipeline_ * chunks_;
    const std::int64_t each = layers_ / std::max<std::int64_t>(stages, 1);
    const std::int64_t first = arguments_.count_or("recompute_num_layers", kMaxRanks, each);
    constexpr std::int64_t kMostNamed = 1'000;
    if (arguments_.text("recompute_method") != "block" || first >= each || layers_ > kMostNamed) {
      return "full";
    }
    std::string pattern;
    for (std::int64_t block = 0; block < layers_; ++block) {
      if (block % each >= first) continue;
      pattern += (pattern.empty() ? "layers." : "|layers.") + std::to_string(block) + ".*";
    }
    return pattern;
  }

  JobArguments& arguments_;
  std::string options_;
  std::vector<std::string> left_out_;
  std::int64_t ranks_ = 1, tensor_ = 1, pipeline_ = 1, context_ = 1, experts_ = 1,
               expert_tensor_ = 1, chunks_ = 1, layers_ = 1, batch_ = 1, data_ = 1,
               micro_batches_ = 1, zero_ = 0;
};

std::string precision_of(const JobArguments& arguments) {
  if (arguments.says("fp4") || arguments.says("fp4_format")) return "fp4";
  if (arguments.says("fp8") || arguments.says("fp8_format")) {
    const std::string_view recipe = arguments.text("fp8_recipe");
    if (recipe == "mxfp8") return "mxfp8";
    return recipe == "blockwise" ? "fp8_block" : "fp8";
  }
  if (arguments.flag("bf16")) return "bf16";
  return arguments.flag("fp16") ? "fp16" : "tf32";
}

/// Megatron adds gradients up in fp32 unless it says that it does not.
std::string gradients_of(const JobArguments& arguments, const std::string& precision) {
  const bool said = arguments.text("accumulate_allreduce_grads_in_fp32") == "False";
  if (!said || precision == "tf32") return {};
  return precision == "fp16" ? "fp16" : "bf16";
}

std::string optimizer_of(JobArguments& arguments) {
  const std::string_view name = arguments.text("optimizer");
  if (name.empty() || name == "adam") return "adam";
  if (name == "sgd") return "momentum";
  arguments.problem("optimizer", in_quotes(name) + " is not known", "adam and sgd are");
  return "adam";
}

/// Beside what the strategy could not say.
std::vector<std::string> left_out_of(const JobArguments& arguments, std::vector<std::string> left) {
  for (const UsualArgument& one : kUsual) {
    const std::string_view value = arguments.text(one.argument);
    const bool usual = value.empty() || value == "[]" ||
                       std::find(one.values.begin(), one.values.end(), value) != one.values.end();
    if (!usual) left.push_back(std::string(one.argument) + " " + in_quotes(value));
  }
  return left;
}

void take_measurements(const Log& log, Job& job) {
  job.allocated = log.allocated;
  job.reserved = log.reserved;
  for (std::size_t i = 1; i < log.steps.size(); ++i) {
    const LoggedStep& step = log.steps[i];
    if (step.batch == 0 || step.batch == job.batch) job.steps.push_back(step.time);
  }
}

/// Of a log, or else of a script. Throws InputError where it is neither.
Log arguments_of(std::string_view text, const std::string& name) {
  Log log = parse_log(text, name);
  if (!log.arguments.contains(kAlways)) log = parse_script(text, name);
  if (log.arguments.contains(kAlways)) return log;
  throw InputError(name, "holds no arguments of a job of Megatron-LM or torchtitan",
                   "give a log from its first line on, which has \"micro_batch_size ....... 1\" or "
                   "\"Building … device mesh with …\", or a script with --micro-batch-size");
}

}  // namespace

JobNetwork network_in(std::string_view text, const std::string& name) {
  const Log log = arguments_of(text, name);
  JobArguments arguments(log);
  JobNetwork network = network_of(log, arguments);
  arguments.raise();
  return network;
}

Job job_in(std::string_view text, const std::string& name, std::optional<std::int64_t> ranks) {
  Log log = arguments_of(text, name);
  if (ranks) log.arguments["world_size"] = std::to_string(*ranks);
  JobArguments arguments(log);
  Job job;
  job.framework = "megatron";
  StrategyWriter strategy(arguments);
  job.strategy = strategy.run();
  job.ranks = strategy.ranks();
  job.batch = strategy.batch();
  job.precision = precision_of(arguments);
  job.gradients = gradients_of(arguments, job.precision);
  job.optimizer = optimizer_of(arguments);
  job.network = network_of(log, arguments);
  job.notes = job.network.notes;
  for (const std::string& setting : left_out_of(arguments, strategy.left_out())) {
    job.notes.push_back(setting + ", left out");
  }
  take_measurements(log, job);
  arguments.raise();
  return job;
}

}  // namespace oracle::megatron
