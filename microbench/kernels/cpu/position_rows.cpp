#include "microbench/kernels/cpu/position_rows.h"

#include <algorithm>

#include "microbench/elements/vectorized.h"

namespace oracle {
namespace {

ORACLE_VECTORIZED void add_values_of(const float* x, double* sums, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sums[i] += double{x[i]};
}

ORACLE_VECTORIZED void add_squares_of(const float* x, const float* mean, double* sums,
                                      std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const double centred = double{x[i]} - double{mean[i]};
    sums[i] += centred * centred;
  }
}

ORACLE_VECTORIZED void add_gradients_of(const float* x, const float* dy, const float* factor,
                                        const float* mean, const float* inverse, double* sums,
                                        double* products, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const double gradient = double{dy[i]} * double{factor[i]};
    sums[i] += gradient;
    products[i] += gradient * ((double{x[i]} - double{mean[i]}) * double{inverse[i]});
  }
}

ORACLE_VECTORIZED void normalize_of(const float* x, const float* mean, const float* inverse,
                                    const float* gamma, const float* beta, float* y,
                                    std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    y[i] = (x[i] - mean[i]) * inverse[i] * gamma[i] + beta[i];
  }
}

ORACLE_VECTORIZED void through_norm_of(const float* x, const float* dy, const float* mean,
                                       const float* inverse, const float* gamma, const float* sum,
                                       const float* product, float* dx, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float normalized = (x[i] - mean[i]) * inverse[i];
    dx[i] = (dy[i] * gamma[i] - sum[i] - normalized * product[i]) * inverse[i];
  }
}

std::int64_t lanes_of(const StorageLayout& layout, std::int64_t block) {
  return std::min(layout.block, layout.extents.channels - block * layout.block);
}

}  // namespace

void spread_positions(const StorageLayout& layout, const float* of_position, Row& row) {
  row.resize(static_cast<std::size_t>(row_length(layout)));
  float* to = row.data();
  for (std::int64_t p = 0; p < layout.positions(); ++p, to += layout.block) {
    std::fill_n(to, layout.block, of_position[p]);
  }
}

void spread_channels(const StorageLayout& layout, std::int64_t block, const float* of_channel,
                     Row& row) {
  row.assign(static_cast<std::size_t>(row_length(layout)), 0);
  float* to = row.data();
  for (std::int64_t p = 0; p < layout.positions(); ++p, to += layout.block) {
    std::copy_n(of_channel + block * layout.block, lanes_of(layout, block), to);
  }
}

std::vector<double> fold_lanes(const StorageLayout& layout, const RowSums& row) {
  std::vector<double> sums(static_cast<std::size_t>(layout.positions()));
  const double* from = row.data();
  for (double& sum : sums) {
    for (std::int64_t lane = 0; lane < layout.block; ++lane) sum += *from++;
  }
  return sums;
}

std::vector<double> fold_positions(const StorageLayout& layout, const RowSums& row) {
  std::vector<double> sums(static_cast<std::size_t>(layout.block));
  const double* from = row.data();
  for (std::int64_t p = 0; p < layout.positions(); ++p) {
    for (double& sum : sums) sum += *from++;
  }
  return sums;
}

void clear_filling(const StorageLayout& layout, std::int64_t block, float* row) {
  const std::int64_t lanes = lanes_of(layout, block);
  for (std::int64_t p = 0; p < layout.positions(); ++p, row += layout.block) {
    std::fill(row + lanes, row + layout.block, 0.0F);
  }
}

void add_values(const float* x, RowSums& sums) { add_values_of(x, sums.data(), sums.size()); }

void add_squares(const float* x, const Row& mean, RowSums& sums) {
  add_squares_of(x, mean.data(), sums.data(), sums.size());
}

void add_gradients(const float* x, const float* dy, const Row& factor, const RowNorm& norm,
                   RowSums& sums, RowSums& products) {
  add_gradients_of(x, dy, factor.data(), norm.mean.data(), norm.inverse.data(), sums.data(),
                   products.data(), sums.size());
}

void normalize(const float* x, const RowNorm& norm, const Row& gamma, const Row& beta, float* y) {
  normalize_of(x, norm.mean.data(), norm.inverse.data(), gamma.data(), beta.data(), y,
               gamma.size());
}

void through_norm(const float* x, const float* dy, const RowNorm& norm, const Row& gamma,
                  const Row& sum, const Row& product, float* dx) {
  through_norm_of(x, dy, norm.mean.data(), norm.inverse.data(), gamma.data(), sum.data(),
                  product.data(), dx, gamma.size());
}

}  // namespace oracle
