#pragma once
// What does a provider ask for an hour of a device?
//
// One JSON file in data/prices for each provider, as its list stood on a day; data/README.md shows
// the form. An offer of several devices is divided by them.
//
// Worked: 8 V100 at 4.40 USD/h are 0.55 USD/h each       tests/io/budget/price_list_reader_test.cpp

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace oracle {

struct Offer {
  std::string name;    ///< as the provider calls it: "p5.48xlarge"
  std::string device;  ///< id of a device
  std::int64_t devices = 1;
  double price = 0;  ///< dollars per hour, of all of them

  double price_per_device() const { return price / static_cast<double>(devices); }
};

struct PriceList {
  std::string id;  ///< file name: "aws"
  std::string name;
  std::string date;    ///< on which it stood: "2026-11-09"
  std::string terms;   ///< "on demand, us-east-1"
  std::string source;  ///< where it was read
  std::vector<Offer> offers;

  /// The cheapest offer of a device; null: none.
  const Offer* cheapest(std::string_view device) const;
};

}  // namespace oracle
