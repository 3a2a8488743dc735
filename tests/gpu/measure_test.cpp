// The timing of scans where it depends on the kernels around them.
#include <algorithm>

#include "gpu_test.h"
#include "measure/measure.h"

namespace scantune {
namespace {

class MeasuringOnGpu : public GpuTest {
 protected:
  Measurement measured(Latency latency, u64 n) {
    const ScanRequest request{.latency = latency, .n = n};
    const PreparedConfig scan(*device_, request, default_config(request, device_->identity().sm));
    const PreparedConfig* const scans[] = {&scan};
    return std::get<Measurement>(Measurer(*device_).measure(scans, {.rounds = 15}).configs[0]);
  }
};

TEST_F(MeasuringOnGpu, AnIsolatedScanTakesItsOwnTimeAndNotItsNeighbours) {
  const Measurement small = measured(Latency::isolated, 1 << 10);
  EXPECT_GT(small.median_us, 0.3);
  EXPECT_LT(small.median_us, 10);
  const Measurement large = measured(Latency::isolated, 1 << 26),
                    among_scans = measured(Latency::back_to_back, 1 << 26);
  EXPECT_NEAR(large.median_us / among_scans.median_us, 1, 0.1) << "much work hides where it runs";
}

}  // namespace
}  // namespace scantune
