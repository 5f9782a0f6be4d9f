// links <samples> <tier> <Mbit/s>: what was measured between ranks becomes fits that are plausible:
// every operation has one, latencies are those of software, and bandwidths those of a link whose
// rate is known (0: not known).

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "microbench/links/operation.h"
#include "oracle/base/quantity_text.h"
#include "oracle/calibrate/link_fit.h"
#include "oracle/io/calibration/calibration_samples.h"

namespace {

using namespace oracle;

/// Nothing makes a link faster than its rate limit, save what passes at once before that holds: the
/// bed's burst, and one packet (tests/testbed/testbed.sh); a fit is off by what it says of itself.
/// A busy machine makes it slower, but not in every operation.
constexpr double kLeastOfRate = 0.3, kFitError = 0.05;
constexpr double kBurstBytes = 32768 + 1514;
constexpr Seconds kLeastLatency{5e-8}, kMostLatency{0.05};

/// Between ranks of one machine no load keeps the sizes from growing so far.
constexpr Bytes kLongest{1e4};
constexpr int kSkipped = 77;

int wrong = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::cerr << "links: " << what << '\n';
  ++wrong;
}

const LinkFit* fit_of(const LinkFits& fits, const std::string& tier, const std::string& operation) {
  for (const LinkFit& fit : fits.fits) {
    if (fit.level == tier && fit.operation == operation) return &fit;
  }
  return nullptr;
}

/// What the longest message as a whole got; pieces of a table may be steeper or flatter.
double rate_of(const LinkFit& fit) {
  const LinkPiece& piece = fit.pieces.back();
  return (fit.most / (piece.latency + fit.most / piece.bandwidth)).value;
}

/// The most that the link lets pass of what a call sends at once; no bound where most of the points
/// of its fit are of what passes before the limit holds.
double bound_of(const LinkFit& fit, double rate) {
  const double sent = fit.most.value * (fit.operation == "stream" ? kStreamMessages : 1);
  if (sent <= 8 * kBurstBytes) return INFINITY;
  return (1 + kFitError + 3 * fit.leave_one_out) * rate / (1 - kBurstBytes / sent);
}

void check_fit(const LinkFit& fit, const std::string& name, double rate) {
  const LinkPiece& shortest = fit.pieces.front();
  std::cout << name << ": " << to_text(shortest.latency) << ", " << to_text(Bandwidth{rate_of(fit)})
            << " up to " << to_text(fit.most) << ", leave-one-out " << fit.leave_one_out << ", "
            << fit.pieces.size() << " pieces" << (fit.tabulated ? ", tabulated" : "") << '\n';
  const Seconds least = shortest.latency + fit.least / shortest.bandwidth;
  expect(least >= kLeastLatency && least <= kMostLatency,
         name + ": a short message takes " + to_text(least));
  expect(rate <= 0 || rate_of(fit) <= bound_of(fit, rate),
         name + ": " + to_text(Bandwidth{rate_of(fit)}) + " over a link of " +
             to_text(Bandwidth{rate}));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "links <samples> <tier> <Mbit/s>\n";
    return 2;
  }
  try {
    const std::filesystem::path file = argv[1];
    const CalibrationSamples samples = load_calibration_samples({&file, 1});
    const LinkFits fits = fit_links(samples.links);
    const double rate = std::atof(argv[3]) * 1e6 / 8;
    double best = 0;
    Bytes longest;
    for (const char* operation :
         {"", "stream", "all_reduce", "reduce_scatter", "all_gather", "all_to_all"}) {
      const LinkFit* fit = fit_of(fits, argv[2], operation);
      const std::string name = *operation == 0 ? "message" : operation;
      expect(fit != nullptr && !fit->pieces.empty(), "no fit of " + name);
      if (fit == nullptr || fit->pieces.empty()) continue;
      check_fit(*fit, name, rate);
      longest = std::max(longest, fit->most);
      if (std::isfinite(bound_of(*fit, 1))) best = std::max(best, rate_of(*fit));
    }
    if (rate > 0 && best == 0 && wrong == 0) {
      std::cout << "skipped: too busy a machine, nothing long was measured\n";
      return kSkipped;
    }
    expect(rate > 0 || longest >= kLongest, "nothing long was measured");
    expect(best >= kLeastOfRate * rate, "no operation comes near the link's rate");
    expect(!samples.interference.empty(), "no interference was measured");
    const Overlap overlap = fit_overlap(samples.interference);
    std::cout << "slowdown of computing " << overlap.computing << ", of the exchange "
              << overlap.exchange << '\n';
    expect(overlap.computing < 20 && overlap.exchange < 100, "a slowdown past belief");
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 3;
  }
  return wrong == 0 ? 0 : 1;
}
