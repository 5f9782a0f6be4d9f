#include "oracle/io/published/kernels_reader.h"

#include <filesystem>
#include <utility>

#include "oracle/base/quantity_text.h"
#include "oracle/io/data_path.h"
#include "oracle/io/published/set_of_runs.h"

namespace oracle {
namespace {

constexpr std::int64_t kLargestExtent = 1'000'000;

std::optional<Seconds> read_kernel_time(json::ObjectReader& object, const char* key) {
  if (!object.has(key)) return std::nullopt;
  const Seconds time = object.quantity(key, parse_seconds);
  if (time.value <= 0) object.problem(key, "is not a time that a kernel can take");
  return time;
}

PublishedProduct read_product(json::ObjectReader object) {
  PublishedProduct product;
  product.m = object.integer("m", 1, kLargestExtent);
  product.n = object.integer("n", 1, kLargestExtent);
  product.k = object.integer("k", 1, kLargestExtent);
  if (!object.has("time")) object.problem("", "a product has no \"time\"", "add it");
  product.time = read_kernel_time(object, "time").value_or(Seconds{});
  object.finish();
  return product;
}

PublishedConvolution read_convolution(json::ObjectReader object) {
  PublishedConvolution row;
  row.samples = object.integer("samples", 1, kLargestExtent);
  row.channels = object.integer("channels", 1, kLargestExtent);
  row.features = object.integer("features", 1, kLargestExtent);
  row.map = {object.integer("height", 1, kLargestExtent),
             object.integer("width", 1, kLargestExtent)};
  row.kernel = {object.integer("kernel_height", 1, kLargestExtent),
                object.integer("kernel_width", 1, kLargestExtent)};
  row.stride = {object.integer("stride_height", 1, kLargestExtent, 1),
                object.integer("stride_width", 1, kLargestExtent, 1)};
  row.pad = {object.integer("pad_height", 0, kLargestExtent, 0),
             object.integer("pad_width", 0, kLargestExtent, 0)};
  row.times = {read_kernel_time(object, "forward"), read_kernel_time(object, "data"),
               read_kernel_time(object, "weights")};
  object.finish();
  return row;
}

}  // namespace

PublishedKernels read_published_kernels(const json::Document& document) {
  json::Problems problems(document.name);
  json::ObjectReader object(document.root, "", problems);
  PublishedKernels published;
  published.id = std::filesystem::path(document.name).stem().string();
  object.schema("oracle/published-kernels/1", "a file of published kernels");
  published.device = object.string("device");
  published.precision = object.string("precision");
  published.fitted = read_set_of_runs(object);
  published.source = object.string("source");
  object.each("products", false, [&](json::ObjectReader product) {
    published.products.push_back(read_product(std::move(product)));
  });
  object.each("convolutions", false, [&](json::ObjectReader row) {
    published.convolutions.push_back(read_convolution(std::move(row)));
  });
  object.finish();
  problems.raise();
  return published;
}

std::vector<PublishedKernels> load_published_kernels() {
  std::vector<PublishedKernels> all;
  constexpr const char* kFolder = "data/published/kernels";
  for (const std::string& name : names_in(kFolder)) {
    all.push_back(read_published_kernels(json::read(resolve("published kernels", kFolder, name))));
  }
  return all;
}

}  // namespace oracle
