#include "oracle/io/samples/samples_reader.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"
#include "oracle/io/samples/context.h"
#include "oracle/io/samples/record.h"

namespace oracle {
namespace {

namespace fs = std::filesystem;
using namespace samples;

constexpr std::int64_t kVersion = 1;

/// The case as text, whatever order its members are written in.
std::string identity(const json::Node& node) {
  std::string text(1, static_cast<char>('0' + static_cast<int>(node.type)));
  if (node.type == json::Type::integer) return text + std::to_string(node.integer);
  if (node.type == json::Type::real) return text + std::to_string(node.real);
  if (node.type == json::Type::boolean) return text + (node.boolean ? "t" : "f");
  if (node.type == json::Type::string) {
    return text + std::to_string(node.string.size()) + ":" + node.string;
  }
  for (const json::Node& item : node.items) text += identity(item) + ",";
  std::map<std::string, std::string> members;
  for (const json::Member& member : node.members) members[member.name] = identity(member.value);
  for (const auto& [name, value] : members) {
    text += std::to_string(name.size()) + ":" + name + "=" + value + ",";
  }
  return text + ";";
}

std::int64_t run_of(const json::Node& record) {
  const json::Node* run = record.find("run");
  return run == nullptr ? 0 : run->integer;
}

/// Of each case the record of its last run, where the first one stood.
std::vector<std::size_t> last_records(const std::vector<json::Node>& records) {
  std::vector<std::size_t> kept;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const json::Node* asked = records[i].find("case");
    if (asked == nullptr) {
      kept.push_back(i);
      continue;
    }
    const auto [place, fresh] = places.emplace(identity(*asked), kept.size());
    if (fresh) {
      kept.push_back(i);
    } else if (run_of(records[i]) >= run_of(records[kept[place->second]])) {
      kept[place->second] = i;
    }
  }
  return kept;
}

std::optional<Failure> read_failure(Fields& found) {
  const bool out_of_memory = found.flag_or_false("oom");
  const bool fatal = found.flag_or_false("fatal");
  if (found.has("error")) return Failure{found.text("error"), out_of_memory, fatal};
  if (out_of_memory || fatal) {
    found.problem({}, "failed without an \"error\"", "add what the error was");
  }
  return std::nullopt;
}

/// One document on its way into the samples.
class PartFile {
 public:
  PartFile(const json::Document& document, Samples& samples)
      : problems_(document.name),
        object_(document.root, "", problems_),
        first_run_(samples.runs.size()),
        samples_(samples) {}

  /// Throws InputError with every problem of the file.
  void read() {
    const PartKind* kind = read_head();
    if (kind != nullptr) {
      read_runs();
      read_cases(*kind);
    }
    object_.refuse_the_rest();
    problems_.raise();
  }

 private:
  const PartKind* read_head() {
    if (object_.count("schema") != kVersion && object_.has("schema")) {
      object_.problem("schema", "is not the format of a file of samples", "write 1");
    }
    const std::string name = object_.text("part");
    const bool complete = object_.flag("complete");
    object_.has("runs");
    object_.has("cases");
    std::vector<std::string> known;
    for (const PartKind& kind : all_parts()) {
      known.emplace_back(kind.name);
      if (kind.name != name) continue;
      const bool twice = std::any_of(samples_.parts.begin(), samples_.parts.end(),
                                     [&](const Part& part) { return part.name == name; });
      if (twice) object_.problem("part", in_quotes(name) + " is in two files", "keep one of them");
      samples_.parts.push_back({name, complete});
      return &kind;
    }
    if (object_.has("part")) {
      object_.problem("part", in_quotes(name) + " is not known", suggestion(name, known));
    }
    return nullptr;
  }

  void read_runs() {
    const json::Node* runs = object_.array("runs");
    if (runs == nullptr) return;
    for (std::size_t i = 0; i < runs->items.size(); ++i) {
      Fields fields(runs->items[i], object_.pointer_to("runs") + "/" + std::to_string(i),
                    problems_);
      Run run = read_run(fields, samples_.parts.back().name, samples_.ignored);
      if (!samples_.runs.empty() && samples_.runs.front().device != run.device) {
        fields.problem("device",
                       "is " + in_quotes(run.device) + ", elsewhere in the folder " +
                           in_quotes(samples_.runs.front().device),
                       "keep a folder for each device");
      }
      samples_.runs.push_back(std::move(run));
    }
  }

  void read_cases(const PartKind& kind) {
    const json::Node* cases = object_.array("cases");
    if (cases == nullptr) return;
    for (const std::size_t i : last_records(cases->items)) {
      if (problems_.full()) return;
      read_case(kind, cases->items[i], object_.pointer_to("cases") + "/" + std::to_string(i));
    }
  }

  void read_case(const PartKind& kind, const json::Node& node, const std::string& pointer) {
    Fields found(node, pointer, problems_);
    const json::Node* asked = found.object("case");
    if (asked == nullptr) return;
    Record record{Fields(*asked, found.pointer_to("case"), problems_), std::move(found), {}, 0, {}};
    record.run = first_run_ + read_run_index(record.found);
    record.failure = read_failure(record.found);
    record.effort = record.found.time_if_any("wall_s", Seconds{1});
    kind.read(record, samples_);
    record.asked.refuse_the_rest();
    record.found.count_the_rest(std::string(kind.name), samples_.ignored);
  }

  std::size_t read_run_index(Fields& found) {
    const auto index = static_cast<std::size_t>(found.count("run", 0));
    const std::size_t runs = samples_.runs.size() - first_run_;
    if (index < runs) return index;
    found.problem("run", "there is no run " + std::to_string(index), "the runs count from 0");
    return 0;
  }

  json::Problems problems_;
  Fields object_;
  std::size_t first_run_;
  Samples& samples_;
};

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->path().extension() == ".json") files.push_back(at->path());
  }
  if (failed) {
    throw InputError("samples", in_quotes(folder.string()) + " is not a folder that can be read",
                     "name the folder that holds cnn_train.json and its like");
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Samples read_samples(std::span<const json::Document> documents) {
  Samples samples;
  std::vector<Problem> problems;
  for (const json::Document& document : documents) {
    try {
      PartFile(document, samples).read();
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return samples;
}

Samples load_samples(const fs::path& folder) {
  const std::vector<fs::path> files = files_in(folder);
  if (files.empty()) {
    throw InputError("samples", in_quotes(folder.string()) + " holds no JSON file",
                     "name the folder that holds cnn_train.json and its like");
  }
  std::vector<json::Document> documents;
  documents.reserve(files.size());
  std::transform(files.begin(), files.end(), std::back_inserter(documents),
                 [](const fs::path& file) { return json::read(file); });
  return read_samples(documents);
}

}  // namespace oracle
