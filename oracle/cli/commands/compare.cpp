#include <array>
#include <string_view>

#include "oracle/cli/commands/rows.h"
#include "oracle/cli/request.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::string_view, 2> kWords = {"PREDICTION", "RUN"};
constexpr std::array<std::string_view, 2> kExamples = {
    "compare prediction.json run.json", "compare run-before.json run.json --by layer --format csv"};
constexpr std::array<Option, 2> kOwn = {{
    {"warmup", "N", "steps that are not timed (1)"},
    {"by", "layer|transfer", "break the step down"},
}};
constinit const std::array<OptionGroup, 2> kGroups = {{{"what", kOwn}, {"output", kOutputOptions}}};

}  // namespace

constinit const Command kCompareCommand = {
    .name = "compare",
    .words = kWords,
    .text = "a run's result beside an estimate as JSON, or beside an earlier run",
    .examples = kExamples,
    .groups = kGroups,
    .answer = nullptr,
    .carried_out_by = "oracle-validate"};

}  // namespace oracle::cli
