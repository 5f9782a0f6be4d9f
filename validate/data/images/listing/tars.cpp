#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>

#include "oracle/base/in_quotes.h"
#include "validate/data/images/listing/listing.h"
#include "validate/data/images/problems.h"

namespace oracle {
namespace {

constexpr std::uint64_t kMostLabelBytes = 32;
constexpr std::int64_t kMostLabel = 999'999'999;
constexpr std::string_view kBlanks = " \t\r\n";

/// A member's name up to the first dot behind its last folder, and what follows in small letters.
struct SampleName {
  std::string key, extension;
};

SampleName split(const std::string& name) {
  const std::size_t folder = name.rfind('/');
  const std::size_t base = folder == name.npos ? 0 : folder + 1;
  const std::size_t dot = name.find('.', base);
  if (dot == base || dot == name.npos) return {};
  SampleName split{name.substr(0, dot), name.substr(dot + 1)};
  for (char& c : split.extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return split;
}

/// A whole number between blanks.
std::optional<std::int64_t> label_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  std::int64_t label = -1;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, label);
  if (error != std::errc{} || rest != end || label < 0 || label > kMostLabel) return std::nullopt;
  return label;
}

struct Sample {
  const TarMember* image = nullptr;
  const TarMember* label = nullptr;
};

/// Samples of one tar, in the order of their first members.
class Samples {
 public:
  Samples(std::shared_ptr<const TarFile> tar, std::vector<Problem>& problems)
      : tar_(std::move(tar)), members_(tar_->members()), problems_(problems) {
    for (const TarMember& member : members_) {
      const SampleName name = split(member.name);
      const bool is_label = name.extension == "cls";
      const bool is_image =
          name.extension == "jpg" || name.extension == "jpeg" || name.extension == "png";
      if (!is_label && !is_image) continue;
      const auto [place, is_new] = places_.try_emplace(name.key, samples_.size());
      if (is_new) samples_.emplace_back();
      const TarMember*& own =
          is_label ? samples_[place->second].label : samples_[place->second].image;
      if (own != nullptr) problem(member, "is a second one of its sample", "keep one of the two");
      own = &member;
    }
  }

  void add_to(Listing& listing) const {
    for (const Sample& sample : samples_) {
      if (sample.image == nullptr) {
        problem(*sample.label, "has no image next to it (.jpg, .jpeg or .png)", "add it");
      } else if (sample.label == nullptr) {
        problem(*sample.image, "has no class next to it (.cls)", "add it");
      } else if (const auto label = label_of(*sample.label)) {
        listing.images.push_back(
            {sample.image->name, *label, tar_, sample.image->offset, sample.image->bytes});
        listing.classes = std::max(listing.classes, *label + 1);
      } else {
        problem(*sample.label, "does not hold a class", "write an integer from 0 on");
      }
    }
  }

 private:
  std::optional<std::int64_t> label_of(const TarMember& member) const {
    if (member.bytes > kMostLabelBytes) return std::nullopt;
    return label_in(tar_->read(member.offset, member.bytes));
  }

  void problem(const TarMember& member, std::string message, std::string remedy) const {
    problems_.push_back(
        {tar_->name() + ": " + in_quotes(member.name), std::move(message), std::move(remedy)});
  }

  std::shared_ptr<const TarFile> tar_;
  std::vector<TarMember> members_;
  std::vector<Problem>& problems_;
  std::vector<Sample> samples_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace

Listing list_tars(const std::vector<std::filesystem::path>& tars, ReadWatch& watch) {
  Listing listing;
  std::vector<Problem> problems;
  for (const std::filesystem::path& tar : tars) {
    Samples(std::make_shared<const TarFile>(tar, watch), problems).add_to(listing);
  }
  raise_first(std::move(problems));
  return listing;
}

}  // namespace oracle
