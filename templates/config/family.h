// The family contract. A family solves the requests of one algorithm, XRequest below. It is one config struct and a
// specialisation of Family for it; the kernels of the family stand in the file that kHeader names. Nothing outside a
// family knows its name.
#pragma once

#include "config/arch.h"
#include "config/launch.h"
#include "config/parameter.h"
#include "config/variant.h"

namespace scantune {

// template <> struct Family<XConfig> {
//   static constexpr const char* kName;                 // in JSON, SQL and the generated source
//   static constexpr const char* kConfigName;           // the struct's own name, in the generated source
//   static constexpr const char* kHeader;               // the kernel file, relative to templates/
//   static constexpr const char* const kKernels[];      // names of the kernels, indexed by Launch::kernel
//   static constexpr Parameter<XConfig> kParameters[];  // host only
//   static constexpr FormerValue kFormerValues[];       // host only; where a parameter was taken away
//   // Null if the family can solve the problem on that architecture, else why not.
//   static constexpr const char* unsupported_reason(const XRequest&, int sm);
//   // How well the family serves a problem nobody has tuned; the highest wins, of equals the first in
//   // config/algorithms.h, and 0 is a last resort.
//   static constexpr int preference(const XRequest&, int sm);
//   static constexpr XConfig default_config(const XRequest&, int sm);
//   // Null if the config is legal, else which rule it breaks. Called for supported requests only.
//   static constexpr const char* invalid_reason(const XConfig&, const XRequest&, int sm);
//   static constexpr int tile_items(const XConfig&, const XRequest&);
//   static constexpr WorkspaceNeed workspace(const XConfig&, const XRequest&);
//   // For any request.n > 0, supported or not: the kernels count, where a module has to serve every n.
//   static constexpr LaunchList launches(const XConfig&, const XRequest&, Variant);
// };
template <class Config>
struct Family;

}  // namespace scantune
