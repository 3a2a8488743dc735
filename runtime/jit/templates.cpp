// The embedded templates and their hash.
#include "jit/compiler.h"
#include "support/sha256.h"

namespace scantune {

const std::string& template_hash() {
  static const std::string kHash = [] {
    Sha256 hash;
    for (const TemplateFile& file : template_files()) hash.add_field(file.path).add_field(file.text);
    return hash.hex();
  }();
  return kHash;
}

}  // namespace scantune
