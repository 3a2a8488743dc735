// Where compilers put the states that sources of the caller's take.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "compile_log.h"
#include "families_under_test.h"
#include "instantiation/instantiation.h"
#include "kept_compiler.h"

namespace scantune {

// Expects that a request compiles for an architecture by every family that takes it, and that what local memory holds
// beside what is spilled, where registers are short, is less than a state: some bytes that align it.
template <class R>
void expect_state_in_no_local_memory(const R& request, const CustomOperator& custom, int sm) {
  int families = 0;
  for (const FamilyModel* family : families_of<R>(Standing::library)) {
    if (family->unsupported_reason(request, sm) != nullptr) continue;
    ++families;
    for (const Variant variant : {Variant::aligned, Variant::any}) {
      if (variant == Variant::any && sm != 90) continue;  // one architecture is enough
      const Binary binary = compile_with_nvrtc(
          instantiate(request, family->default_config(request, sm), variant, &custom), "sm_" + std::to_string(sm));
      EXPECT_FALSE(binary.image.empty());
      EXPECT_LT(reported_bytes(binary.log, "stack frame"), reported_bytes(binary.log, "spill stores") + kMaxValueBytes)
          << to_string(Request(request)) << ", " << family->name() << sm << binary.log;
    }
  }
  EXPECT_GT(families, 0) << to_string(Request(request)) << " for sm_" << sm;
}

}  // namespace scantune
