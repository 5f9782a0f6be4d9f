#pragma once
// Which readers take text from outside, and what must hold whatever it says?
//
// Any bytes become a value or an InputError; nothing else leaves a reader, and the engine copes
// with each value. A target throws whatever else left its reader, and Defect where the value breaks
// a promise. libFuzzer drives them (driver.cpp); the tests give them the kept corpus
// (tests/fuzz/corpus_test.cpp).

#include <array>
#include <string_view>

namespace oracle::fuzz {

void json_document(std::string_view text);
void model(std::string_view text);
void device(std::string_view text);
void cluster(std::string_view text);
void framework(std::string_view text);
void job(std::string_view text);
void published(std::string_view text);
void budget_file(std::string_view text);
void strategy(std::string_view text);
void quantity(std::string_view text);
void host(std::string_view text);
void arguments(std::string_view text);
void onnx_file(std::string_view text);
void samples_file(std::string_view text);
void measurements(std::string_view text);
void trace_file(std::string_view text);
void topology(std::string_view text);
void allocation(std::string_view text);
void image_file(std::string_view bytes);
void tar_file(std::string_view bytes);
void checkpoint_file(std::string_view bytes);
void layer_case(std::string_view text);
void calibration_file(std::string_view text);
void profile_file(std::string_view text);

struct Target {
  std::string_view name;  ///< of its folder in corpus/; its program is fuzz_NAME
  void (*run)(std::string_view text);
  std::string_view shipped;  ///< the folder whose files are seeds as well; may be empty
};

inline constexpr std::array<Target, 24> kTargets = {{
    {"json", json_document, "data/schema"},
    {"model", model, "models"},
    {"device", device, "data/devices"},
    {"cluster", cluster, "data/clusters"},
    {"framework", framework, "data/frameworks"},
    {"job", job, "tests/data/jobs"},
    {"published", published, "data/published"},
    {"budget", budget_file, "data/convergence"},
    {"strategy", strategy, ""},
    {"quantity", quantity, ""},
    {"host", host, ""},
    {"arguments", arguments, ""},
    {"onnx", onnx_file, "tests/data/onnx"},
    {"samples", samples_file, "tests/data/torch-cpu"},
    {"measurements", measurements, "tests/data/measurements"},
    {"trace", trace_file, "tests/data/traces"},
    {"topology", topology, "tests/data/nccl-topology"},
    {"allocation", allocation, ""},
    {"images", image_file, ""},
    {"tar", tar_file, ""},
    {"checkpoint", checkpoint_file, ""},
    {"layer_case", layer_case, ""},
    {"calibration", calibration_file, "tests/data/calibration"},
    {"profile", profile_file, "tests/data/profiles"},
}};

}  // namespace oracle::fuzz
