// Graphs that hold scans are replayed with other items every time.
#include "families_under_test.h"
#include "family_test.h"
#include "known_sums.h"
#include "test_scan.h"

namespace scantune {
namespace {

class ReplaysOnGpu : public FamiliesOnGpu, public testing::WithParamInterface<const FamilyModel*> {};

// Two executables take turns: one has a single scan, the other has four that follow each other closely.
TEST_P(ReplaysOnGpu, ScanWhatTheStreamHasWrittenBeforeThem) {
  constexpr u64 kReplays = 300;
  const TestStream stream;
  bool scanned = false;
  const char* unsupported = nullptr;
  for (const char* type : {"i8", "i32", "f64"})
    for (const u64 n : {u64{100'003}, (u64{1} << 22) + 77}) {
      const ScanRequest request = same(type).request(Operator::sum, n);
      if (const char* reason = GetParam()->unsupported_reason(request, sm())) {
        unsupported = reason;
        continue;
      }
      const KnownSums sums(*device_, request);
      const TestScan scan(*device_, request, GetParam()->default_config(request, sm()));
      const Verdict verdict(*device_);
      const TestGraph once(stream, [&] { scan.enqueue(stream); });
      const TestGraph often(stream, [&] {
        for (int repeat = 0; repeat < 4; ++repeat) scan.enqueue(stream);
      });
      for (u64 replay = 0; replay < kReplays; ++replay) {
        sums.fill(scan.items(), n, replay, stream);
        (replay % 3 == 0 ? often : once).launch(stream);
        sums.check(scan.results(), n, replay, verdict, stream);
      }
      stream.synchronize();
      EXPECT_EQ(verdict.problem(), "") << to_string(scan.config()) << " of " << to_string(request);
      scanned = true;
    }
  if (!scanned) GTEST_SKIP() << unsupported;
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, ReplaysOnGpu, testing::ValuesIn(scan_families()), name_of_family);

}  // namespace
}  // namespace scantune
