// The hash of the templates that a kernel is compiled from. It is part of the key of compiled kernels, and records
// store it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/arch.h"
#include "jit/template_text.h"
#include "support/embedded_file.h"

namespace scantune {

class FamilyModel;

// The templates as they were when the library was built: path relative to templates/, and text.
using TemplateFile = EmbeddedFile;
std::span<const TemplateFile> template_files();

// A hash of a template, either without comments and blanks, or of its exact text.
enum class Hashed { code, text };

// Hashes of some templates as one compiler sees them. An edit of a file changes those of the headers that include it,
// however indirectly.
class TemplateHashes {
 public:
  // Reads every file once. They need not outlive this.
  TemplateHashes(std::span<const TemplateFile> files, TemplateView view, Hashed hashed = Hashed::code);

  // SHA-256, in hex, over all that the headers include, themselves among it, whatever their order. Throws Error if
  // there is no such header.
  std::string of(std::span<const std::string> headers) const;

 private:
  struct File {
    std::string digest;  // hash of its text
    std::vector<std::string> includes;
  };

  std::map<std::string, File, std::less<>> files_;
};

constexpr TemplateView view_of(int sm) { return sm == kHostSm ? TemplateView::host : TemplateView::cuda; }

// The hashes of the library's own templates, which are read on first use.
const TemplateHashes& template_hashes(TemplateView view);

// The hash of the sources of a family's kernels on an architecture, for a built-in or a custom operator: records,
// trials and breakpoints of such a problem store it.
const std::string& template_hash(const FamilyModel& family, bool custom, int sm);

}  // namespace scantune
