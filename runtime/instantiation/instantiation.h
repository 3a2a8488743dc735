// Turns request and config into source text and kernel names; strings only.
#pragma once

#include <string>
#include <vector>

#include "space/custom_operator.h"
#include "space/space.h"

namespace scantune {

struct Instantiation {
  std::string source;                // a translation unit
  std::vector<std::string> headers;  // what it includes, relative to templates/; a binary's key covers their text
  std::vector<std::string> kernels;  // unmangled names, indexed by Launch::kernel
  std::string label;                 // for messages: lookback{...} of f32 inclusive sum, aligned to 16 bytes
};

// The templates that kernels of a family include, for a built-in or a custom operator.
std::vector<std::string> kernel_headers(const FamilyModel& family, bool custom);

// The source does not depend on request.n, so one compiled module serves every N. custom: the caller's operator and
// maps, if any. Their sources follow the kernels' headers, with their own line numbers. Throws CompileError for one
// that reads a file or lacks a definition, before any compiler sees it.
Instantiation instantiate(const Request& request, const Config& config, Variant variant,
                          const CustomOperator* custom = nullptr);

// Other kernels for the launches of a config of the gallery, from a header that is not a family's. Pointers are
// aligned.
Instantiation instantiate_in_place(const Request& request, const Config& config, const std::string& header,
                                   std::vector<std::string> kernels);

// The kernels that check outputs of the request by their input, from a header that is not a family's. custom is as
// above.
Instantiation instantiate_check(const Request& request, const std::string& header, std::vector<std::string> kernels,
                                const CustomOperator* custom = nullptr);

}  // namespace scantune
