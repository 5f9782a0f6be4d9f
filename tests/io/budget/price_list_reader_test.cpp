#include "oracle/io/budget/price_list_reader.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace price_list_reader_test {

std::string list_of(const std::string& date, const std::string& price) {
  return R"({"schema": "oracle/prices/1", "name": "Mine", "date": ")" + date +
         R"(", "terms": "on demand", "source": "a page", "offers": [
          {"offer": "eight", "device": "v100-sxm2-16gb", "devices": 8, "price": ")" +
         price + R"("},
          {"offer": "one", "device": "v100-sxm2-16gb", "devices": 1, "price": "3 USD/h"}]})";
}

PriceList read(const std::string& text) { return read_price_list(json::parse(text, "mine.json")); }

TEST(PriceListReader, TheCheapestOfferIsSoPerDevice) {
  const PriceList list = read(list_of("2026-11-09", "4.40 USD/h"));
  EXPECT_EQ(list.id, "mine");
  ASSERT_NE(list.cheapest("v100-sxm2-16gb"), nullptr);
  EXPECT_EQ(list.cheapest("v100-sxm2-16gb")->name, "eight");
  EXPECT_NEAR(list.cheapest("v100-sxm2-16gb")->price_per_device(), 0.55, 1e-12);
  EXPECT_EQ(read(list_of("2026", "80 USD/h")).cheapest("v100-sxm2-16gb")->name, "one");
  EXPECT_EQ(list.cheapest("k80"), nullptr);
}

TEST(PriceListReader, RefusesWhatIsNoDateAndNoPrice) {
  for (const char* date : {"", "09.11.2026", "2026-1-1", "26", "2026-11-09T00"}) {
    EXPECT_THROW(read(list_of(date, "4.40 USD/h")), InputError) << date;
  }
  EXPECT_NO_THROW(read(list_of("2026-11", "4.40 USD/h")));
  for (const char* price : {"4.40", "0 USD/h", "4.40 EUR/h", "-1 USD/h"}) {
    EXPECT_THROW(read(list_of("2026", price)), InputError) << price;
  }
}

TEST(PriceListReader, EveryShippedOfferIsOfADeviceThatIsKnown) {
  setenv("ORACLE_DATA", ORACLE_SOURCE_DIR, 1);
  const std::vector<std::string> devices = names_in("data/devices");
  const std::vector<std::string> names = names_in("data/prices");
  EXPECT_GE(names.size(), 3U);
  for (const std::string& name : names) {
    const PriceList list = load_price_list(name);
    EXPECT_FALSE(list.offers.empty()) << name;
    for (const Offer& offer : list.offers) {
      EXPECT_EQ(std::count(devices.begin(), devices.end(), offer.device), 1) << offer.device;
      EXPECT_GT(offer.price_per_device(), 0.1) << name;
      EXPECT_LT(offer.price_per_device(), 20) << name;
    }
  }
  EXPECT_EQ(providers_of("v100-sxm2-16gb"), std::vector<std::string>{"lambda"});
  EXPECT_TRUE(providers_of("k40").empty());
}

}  // namespace price_list_reader_test
}  // namespace oracle
