#include "oracle/io/models/transformers/config_reader.h"

#include <algorithm>
#include <filesystem>

#include "oracle/io/models/transformers/families.h"

namespace oracle::transformers {
namespace {

constexpr std::int64_t kUsualSequence = 2048;
constexpr const char* kTextAlone = "the part that reads texts, without what reads images";

Architecture read_family(Family family, const json::Document& document, json::Problems& problems) {
  switch (family) {
    case Family::image:
      return read_image(document, problems);
    case Family::windows:
      return read_windows(document, problems);
    case Family::encoder_decoder:
      return read_encoder_decoder(document, problems);
    case Family::text:
      break;
  }
  return read_text(document, problems);
}

/// A file called as all are says nothing: then the type does.
std::string name_after(std::string_view file, const std::string& type) {
  const std::string stem = std::filesystem::path(file).stem().string();
  return stem == "config" ? type : stem;
}

void choose(Image& image, const Sizes& sizes) {
  if (image.height == 0) return;
  if (sizes.image) {
    image.height = (*sizes.image)[Axis::height];
    image.width = (*sizes.image)[Axis::width];
    image.channels = sizes.image->channels();
  }
  image.classes = sizes.classes.value_or(image.classes);
}

}  // namespace

bool is_config(const json::Node& root) {
  return root.find("model_type") != nullptr && root.find("schema") == nullptr;
}

std::optional<json::Document> text_part(const json::Document& document) {
  const json::Node* part = document.root.find("text_config");
  if (part == nullptr || part->find("model_type") == nullptr) return std::nullopt;
  json::Document text{document.name, *part};
  // The head stands outside of the part.
  constexpr const char* kTied = "tie_word_embeddings";
  const json::Node* tied = document.root.find(kTied);
  if (tied != nullptr && part->find(kTied) == nullptr) text.root.members.push_back({kTied, *tied});
  return text;
}

bool reads_images(const json::Document& document) {
  if (text_part(document)) return false;
  const Family family = type_of(document).family;
  return family == Family::image || family == Family::windows;
}

Architecture read_architecture(const json::Document& document) {
  json::Problems problems(document.name);
  Architecture architecture = read_family(type_of(document).family, document, problems);
  problems.raise();
  return architecture;
}

Graph read_transformer(const json::Document& document, std::string_view file, const Sizes& sizes) {
  if (const auto text = text_part(document)) {
    Graph graph = read_transformer(*text, file, sizes);
    graph.notes.emplace_back(kTextAlone);
    return graph;
  }
  Architecture architecture = read_architecture(document);
  choose(architecture.image, sizes);
  const std::int64_t longest = architecture.longest > 0 ? architecture.longest : kUsualSequence;
  Graph graph = build(architecture, name_after(file, architecture.type),
                      sizes.sequence.value_or(std::min(longest, kUsualSequence)));
  // Older files have the keys of both parts side by side.
  if (document.root.find("vision_config") != nullptr) graph.notes.emplace_back(kTextAlone);
  return graph;
}

}  // namespace oracle::transformers
