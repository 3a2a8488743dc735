// The records that come with the library, for scans of every size on the devices that they were measured on.
#include <gtest/gtest.h>

#include <cmath>

#include "select/layers.h"
#include "select/selector.h"

namespace scantune {
namespace {

TEST(BuiltInRecords, AreThereAndValid) {
  const TuningTable table(built_in_records());
  EXPECT_FALSE(table.records().empty());
  for (const auto& rejected : table.rejected()) ADD_FAILURE() << rejected.row << ": " << rejected.reason;
}

TEST(BuiltInRecords, ReachBeyondAnOctaveOnlyWithTheFamilyOfTheDefault) {
  const TuningTable table(built_in_records());
  for (const TuningRecord& record : table.records()) {
    Request request = record.request;
    for (int log2_n = 4; log2_n <= 32; ++log2_n) {
      request.n = u64{1} << log2_n;
      const Selection selection = select(table, record.device, request);
      if (selection.record.has_value() &&
          std::abs(std::log2(static_cast<double>(selection.record->request.n)) - log2_n) <= 1)
        continue;
      EXPECT_STREQ(selection.config.family().name(), default_config(request, record.device.sm).family().name())
          << to_string(request) << ": " << selection.reason;
    }
  }
}

}  // namespace
}  // namespace scantune
