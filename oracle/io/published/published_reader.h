#pragma once
// What did others measure, and under which conditions?
//
// A file of data/published holds the runs of one source, mostly on one cluster. Strategies,
// precisions and optimizers stay text here; whoever evaluates them knows their notation.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "oracle/base/units.h"
#include "oracle/cluster/framework.h"
#include "oracle/io/json/document.h"

namespace oracle {

struct PublishedRun {
  std::string cluster;        ///< empty: that of the file
  std::string model;          ///< one of the file's own, or a name
  std::string input;          ///< "3x226x226"; empty: the model's own
  std::int64_t sequence = 0;  ///< tokens of a text; 0: the model's own
  std::string lora;           ///< adapters that alone are trained: "16:*.q|*.v"; empty: none
  std::string strategy;
  std::int64_t batch = 1;       ///< global
  Seconds step;                 ///< measured time of one training step
  std::optional<Bytes> memory;  ///< of one rank at its peak, of the one that had most
  int line = 0;                 ///< in the file
};

/// How right the source's own model was on its runs of one kind of strategy.
struct OwnProjection {
  std::string strategy;  ///< "data+filter"
  double accuracy = 0;   ///< mean of 1 - |error|
};

struct PublishedRuns {
  std::string id;  ///< file name
  std::string cluster;
  std::string precision;
  std::string optimizer;
  std::string framework;  ///< empty: not known
  StateFormats state;     ///< as said, whatever the framework has
  bool fitted = false;    ///< constants may be fitted on these runs: they judge nothing
  MemoryShown memory_shown = MemoryShown::allocated;  ///< by the tool that measured memory
  std::string source;
  std::vector<OwnProjection> projections;
  std::map<std::string, json::Document> models;  ///< of this file alone
  std::vector<PublishedRun> runs;
};

/// Throws InputError with every problem of the file, but for those of its models: whoever builds
/// them finds these. A run gives its "step" or its "throughput".
PublishedRuns read_published(const json::Document& document);

/// All files of data/published, in the order of their names.
std::vector<PublishedRuns> load_published();

}  // namespace oracle
