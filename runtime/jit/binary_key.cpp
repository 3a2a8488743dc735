#include "jit/binary_key.h"

#include "support/sha256.h"

namespace scantune {

std::string binary_key(const Compiler& compiler, const Instantiation& instantiation, const std::string& arch) {
  const TemplateView view = arch == "host" ? TemplateView::host : TemplateView::cuda;
  const std::string templates = template_hashes(view).of(instantiation.headers);
  Sha256 hash;
  hash.add_field(templates).add_field(compiler.fingerprint()).add_field(arch).add_field(instantiation.source);
  for (const std::string& kernel : instantiation.kernels) hash.add_field(kernel);
  return hash.hex();
}

}  // namespace scantune
