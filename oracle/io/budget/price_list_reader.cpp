#include "oracle/io/budget/price_list_reader.h"

#include <filesystem>
#include <utility>

#include "oracle/base/in_quotes.h"
#include "oracle/base/quantity_text.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace {

constexpr std::int64_t kMostDevices = 100'000;

/// "2026", "2026-11" or "2026-11-09".
bool is_date(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00";
  if (text.size() != 4 && text.size() != 7 && text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == '0' ? !digit : text[i] != '-') return false;
  }
  return true;
}

Offer read_offer(json::ObjectReader object) {
  Offer offer;
  offer.name = object.string("offer");
  offer.device = object.string("device");
  offer.devices = object.integer("devices", 1, kMostDevices);
  offer.price = object.quantity("price", parse_price);
  if (object.has("price") && offer.price == 0) {
    object.problem("price", "is zero", "write a price such as \"3.06 USD/h\"");
  }
  object.finish();
  return offer;
}

}  // namespace

PriceList read_price_list(const json::Document& document) {
  json::Problems problems(document.name);
  json::ObjectReader object(document.root, "", problems);
  PriceList list;
  list.id = std::filesystem::path(document.name).stem().string();
  object.schema("oracle/prices/1", "a list of prices");
  list.name = object.string("name");
  list.date = object.string("date");
  if (object.has("date") && !is_date(list.date)) {
    object.problem("date", in_quotes(list.date) + " is not a date", "write it as \"2026-11-09\"");
  }
  list.terms = object.string("terms");
  list.source = object.string("source");
  object.each("offers", true, [&](json::ObjectReader offer) {
    list.offers.push_back(read_offer(std::move(offer)));
  });
  object.finish();
  problems.raise();
  return list;
}

PriceList load_price_list(std::string_view name) {
  return read_price_list(json::read(resolve("--price", "data/prices", name)));
}

std::vector<std::string> providers_of(std::string_view device) {
  std::vector<std::string> names;
  for (std::string& name : names_in("data/prices")) {
    if (load_price_list(name).cheapest(device) != nullptr) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace oracle
