// Many instances of templates in one program for NVRTC, and the code of each: the templates are parsed once.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "instantiation/instantiation.h"
#include "jit/template_hash.h"

namespace scantune {

// All in one source, each in a namespace of its own. They take the same definitions, and kernels of one name are
// refused by the compiler.
Instantiation merged(const std::vector<Instantiation>& all);

// The kernels of each instantiation as NVRTC's unoptimised PTX, in the order of `all`: equal text runs alike. Texts
// name no symbol, so that they depend neither on what else is in the program nor on how a config is spelled. All take
// the same definitions. Throws CompileError.
std::vector<std::string> code_of_instances(const std::vector<Instantiation>& all, int sm,
                                           std::span<const TemplateFile> templates = template_files());

}  // namespace scantune
