// A template file as one compiler reads it, without what cannot change a kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scantune {

// NVRTC defines __CUDACC_RTC__ and the host compiler does not, so each skips the other's code.
enum class TemplateView { cuda, host };

struct TemplateText {
  // The template without comments, #pragma once and the other compiler's code. A run of blanks is one space, and so is
  // the end of a line unless it ends a directive. Text in quotes is unchanged.
  std::string text;
  std::vector<std::string> includes;  // the paths in quotes, once for each directive
};

// Only conditions on __CUDACC_RTC__ alone are decided. All others stay in the text with all of their branches, whose
// includes count.
TemplateText template_text(std::string_view source, TemplateView view);

}  // namespace scantune
