// The family contract. A family solves the requests of one algorithm, XRequest below. It is one config struct and a
// specialisation of Family for it; its kernels are in the file that kHeader names. Nothing outside a family knows its
// name.
#pragma once

#include "core/contract/arch.h"
#include "core/contract/launch.h"
#include "core/contract/parameter.h"
#include "core/contract/variant.h"

namespace scantune {

// template <> struct Family<XConfig> {
//   static constexpr const char* kName;                 // in JSON, SQL and the generated source
//   static constexpr const char* kConfigName;           // the struct's own name, in the generated source
//   static constexpr const char* kHeader;               // the kernel file, relative to templates/
//   static constexpr const char* const kKernels[];      // names of the kernels, indexed by Launch::kernel
//   static constexpr Parameter<XConfig> kParameters[];  // for the host compiler only
//   static constexpr const char* const kCompiledExtents[];  // optional: kernels are made for them; others come with
//                                                           // each launch. With columns: lines of few dense columns
//                                                           // are the items of one sequence
//   static constexpr FormerValue kFormerValues[];       // for the host compiler only; of removed parameters
//   // Null if the family can solve the problem on that architecture, else why not.
//   static constexpr const char* unsupported_reason(const XRequest&, int sm);
//   // How well the family serves an untuned problem. The highest wins, and of equals the first in
//   // algorithms.h; 0 is a last resort.
//   static constexpr int preference(const XRequest&, int sm);
//   static constexpr XConfig default_config(const XRequest&, int sm);
//   // Null if the config is legal, else which rule it breaks. The request is supported.
//   static constexpr const char* invalid_reason(const XConfig&, const XRequest&, int sm);
//   static constexpr int tile_items(const XConfig&, const XRequest&);
//   static constexpr WorkspaceNeed workspace(const XConfig&, const XRequest&);
//   // Every request.n > 0 has launches, supported or not, and 0 where there is a result without items: a module that
//   // serves every n holds all their kernels.
//   static constexpr LaunchList launches(const XConfig&, const XRequest&, Variant);
//   // Optional: Standing::gallery for a family to be read, with kernels next to its config.
//   static constexpr Standing kStanding;
//   // Optional: what an inclusive scan or a reduction costs, without applying an initial value.
//   static constexpr Work work(const XConfig&, const XRequest&);
// };
template <class Config>
struct Family;

}  // namespace scantune
