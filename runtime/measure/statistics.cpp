#include "measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace scantune {

double quantile(std::vector<double> samples, double fraction) {
  std::ranges::sort(samples);
  const double position = fraction * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  return std::lerp(samples[below], samples[above], position - static_cast<double>(below));
}

double spread(const std::vector<double>& samples) {
  return (quantile(samples, 0.75) - quantile(samples, 0.25)) / quantile(samples, 0.5);
}

}  // namespace scantune
