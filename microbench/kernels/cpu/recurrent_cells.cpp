#include "microbench/kernels/cpu/recurrent_cells.h"

#include <algorithm>

#include "microbench/elements/vectorized.h"
#include "microbench/kernels/cpu/exponential.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

/// Beyond it both functions are constant in single precision, and e^x stays finite.
constexpr float kFar = 40;

inline float logistic(float x) { return 1 / (1 + exponential(-std::clamp(x, -kFar, kFar))); }

/// From e^x alone, as a loop over it becomes vector code.
inline float hyperbolic_tangent(float x) { return 2 * logistic(2 * x) - 1; }

ORACLE_VECTORIZED void lstm_step(const CellStep& at, std::int64_t features) {
  float *i = at.row, *f = i + features, *g = f + features, *o = g + features, *c = o + features;
  for (std::int64_t j = 0; j < features; ++j) {
    i[j] = logistic(i[j]);
    f[j] = logistic(f[j]);
    g[j] = hyperbolic_tangent(g[j]);
    o[j] = logistic(o[j]);
    c[j] = f[j] * at.cell_before[j] + i[j] * g[j];
    at.state[j] = o[j] * hyperbolic_tangent(c[j]);
  }
}

ORACLE_VECTORIZED void lstm_back(const CellBack& at, std::int64_t features) {
  const float *i = at.row, *f = i + features, *g = f + features, *o = g + features,
              *c = o + features;
  float *di = at.slopes, *df = di + features, *dg = df + features, *d_o = dg + features;
  for (std::int64_t j = 0; j < features; ++j) {
    const float bent = hyperbolic_tangent(c[j]), dh = at.state_gradient[j];
    const float dc = at.cell_gradient[j] + dh * o[j] * (1 - bent * bent);
    di[j] = dc * g[j] * i[j] * (1 - i[j]);
    df[j] = dc * at.cell_before[j] * f[j] * (1 - f[j]);
    dg[j] = dc * i[j] * (1 - g[j] * g[j]);
    d_o[j] = dh * bent * o[j] * (1 - o[j]);
    at.cell_gradient[j] = dc * f[j];
    at.state_gradient[j] = 0;
  }
}

ORACLE_VECTORIZED void gru_step(const CellStep& at, std::int64_t features) {
  float *r = at.row, *z = r + features, *m = z + features, *n = m + features;
  for (std::int64_t j = 0; j < features; ++j) {
    r[j] = logistic(r[j]);
    z[j] = logistic(z[j]);
    n[j] = hyperbolic_tangent(n[j] + r[j] * m[j]);
    at.state[j] = n[j] + z[j] * (at.state[j] - n[j]);
  }
}

ORACLE_VECTORIZED void gru_back(const CellBack& at, std::int64_t features) {
  const float *r = at.row, *z = r + features, *m = z + features, *n = m + features;
  float *dr = at.slopes, *dz = dr + features, *dm = dz + features, *dn = dm + features;
  for (std::int64_t j = 0; j < features; ++j) {
    const float dh = at.state_gradient[j];
    dn[j] = dh * (1 - z[j]) * (1 - n[j] * n[j]);
    dm[j] = dn[j] * r[j];
    dr[j] = dn[j] * m[j] * r[j] * (1 - r[j]);
    dz[j] = dh * (at.state_before[j] - n[j]) * z[j] * (1 - z[j]);
    at.state_gradient[j] = dh * z[j];
  }
}

ORACLE_VECTORIZED void rnn_step(const CellStep& at, std::int64_t features) {
  for (std::int64_t j = 0; j < features; ++j) {
    at.state[j] = at.row[j] = hyperbolic_tangent(at.row[j]);
  }
}

ORACLE_VECTORIZED void rnn_back(const CellBack& at, std::int64_t features) {
  for (std::int64_t j = 0; j < features; ++j) {
    at.slopes[j] = at.state_gradient[j] * (1 - at.row[j] * at.row[j]);
    at.state_gradient[j] = 0;
  }
}

constexpr InputPart kOfLstm[] = {{0, 4, 0}};
constexpr InputPart kOfGru[] = {{0, 2, 0}, {2, 1, 3}};
constexpr InputPart kOfRnn[] = {{0, 1, 0}};
constexpr std::array kCells = {RecurrentCell{"lstm", 4, 5, 4, true, kOfLstm, lstm_step, lstm_back},
                               RecurrentCell{"gru", 3, 4, 4, false, kOfGru, gru_step, gru_back},
                               RecurrentCell{"rnn", 1, 1, 1, false, kOfRnn, rnn_step, rnn_back}};

}  // namespace

const RecurrentCell& recurrent_cell(std::string_view name) {
  const auto found = std::find_if(kCells.begin(), kCells.end(),
                                  [&](const RecurrentCell& cell) { return cell.name == name; });
  ensure(found != kCells.end(), "a recurrent layer has a cell that no kernel knows");
  return *found;
}

}  // namespace oracle
