#include "oracle/accuracy/kernel_families.h"

#include <map>
#include <set>

#include "oracle/cost/price.h"
#include "oracle/plan/training.h"

namespace oracle {
namespace {

/// What a family does, and how long it takes on both machines.
struct Total {
  bool contraction = false;
  double work = 0;
  CostSum first, second;
  std::size_t shapes = 0;
};

/// As measured or interpolated; nothing where the profile knows no such shape.
std::optional<Cost> known_price(const KernelKey& key, const Profile& profile) {
  const std::optional<Cost> cost = profiled_price(key, profile);
  return cost && cost->source != Source::assumed ? cost : std::nullopt;
}

/// Operations of a contraction, else bytes touched.
double work_done(const KernelKey& key) {
  const KernelWork work = work_of(key);
  if (key.contraction) return work.operations;
  return work.elements * precision_named(name_of(key.type)).activation_bytes;
}

ParameterValue rate_of(double work, const CostSum& sum) {
  const Cost total = sum.total();
  return {work / total.time.value, total.source, total.uncertainty};
}

}  // namespace

std::vector<FamilyRates> family_rates(const Profile& first, const Profile& second) {
  std::set<KernelKey> keys;
  for (const Profile* profile : {&first, &second}) {
    for (const KernelTime& kernel : profile->kernels) keys.insert(kernel.key);
  }
  std::map<std::string, Total> totals;
  for (const KernelKey& key : keys) {
    const auto one = known_price(key, first);
    const auto other = known_price(key, second);
    if (!one || !other) continue;
    Total& total = totals[kernel_family(key)];
    total.contraction = key.contraction;
    total.work += work_done(key);
    total.first.add(*one);
    total.second.add(*other);
    ++total.shapes;
  }
  std::vector<FamilyRates> rates;
  for (const auto& [family, total] : totals) {
    const ParameterUnit unit =
        total.contraction ? ParameterUnit::flops_per_second : ParameterUnit::bytes_per_second;
    rates.push_back({{ParameterKind::kernel, family, "", unit, true},
                     rate_of(total.work, total.first),
                     rate_of(total.work, total.second),
                     total.shapes});
  }
  return rates;
}

}  // namespace oracle
