#pragma once
// Which parts do several reports have in common?
//
// The sentence that answers, what the step consists of, what limits it, what memory is for, why a
// strategy cannot run, and what was assumed.
//
// Worked: memory_phrase(9.1 GiB, 15.9 GiB) is "9.10 of 15.9 GiB"  tests/report/sections_test.cpp

#include <span>
#include <string>
#include <vector>

#include "oracle/evaluate/evaluation.h"
#include "oracle/report/document.h"

namespace oracle::report {

/// What was asked, beside its evaluation.
struct Subject {
  const Graph& graph;
  const Cluster& cluster;
  std::vector<std::string> assumptions;  ///< defaults that were filled in for the user
  std::string accuracy{};                ///< how right such answers were; empty: not said
};

/// The strategy as one would write it: without the one micro-batch that goes without saying.
std::string strategy_text(Strategy strategy);

/// The same without the stages, for a row of many.
std::string short_text(Strategy strategy);

/// What a rank of the cluster is called: "GPU" where each has its own, else "rank".
std::string rank_word(const Cluster& cluster);

/// "9.10 of 15.9 GiB"
std::string memory_phrase(Bytes used, Bytes available);

/// "41.2 ms ± 12 %"
std::string with_interval(const Cost& cost);

/// "step 41.2 ms ± 12 %   1,553 samples/s   9.10 of 15.9 GiB per GPU"
std::string fit_sentence(const Fits& fits, const Cluster& cluster);

/// "64 GPUs", "batch 2,048 (32 per GPU)", where each takes as many by the plan, "fp32, momentum"
std::string ranks_phrase(std::int64_t ranks, const Cluster& cluster);
std::string batch_phrase(std::int64_t batch, const Cluster& cluster, const Plan* plan = nullptr);
std::string training_phrase(const Training& training);

/// Model, cluster, ranks, batch, precision and optimizer, for programs.
Fields setting_fields(const Subject& subject, std::int64_t ranks, const Training& training);

/// What the step's length consists of.
Table breakdown_table(const Fits& fits);

/// What each stage of a pipeline does and holds; shown where there is more than one.
Table stage_table(const Graph& graph, const Fits& fits);

/// What limits the step.
std::string limit_sentence(const Fits& fits);

/// Communication, what limits the step, and the evidence the time rests on.
Fields limit_fields(const Fits& fits);

/// Busy time by kind of evidence, for programs.
Table evidence_table(const Fits& fits);

/// Bytes per category; those of nothing only with `all`.
Table memory_table(const Footprint& memory, const Cluster& cluster, bool all);

/// One row per refusal.
Table refusal_table(std::span<const Infeasible> refusals);

/// What the command and an evaluation assume, where there is one that fits. Figures assumed for the
/// same reason share a line.
Notes assumption_notes(const Subject& subject, const Evaluation* evaluation);

/// Adds a section to an answer whose last one is what was assumed.
void add_before_assumptions(Section section, Document& document);

/// The layer's name; the optimizer's update of everything is "all layers".
std::string layer_name(const Graph& graph, LayerId layer);

/// `part` of `whole`, 0 where there is no whole.
double share_of(Seconds part, Seconds whole);

}  // namespace oracle::report
