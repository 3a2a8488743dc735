#include "jit/binary_key.h"

#include "support/sha256.h"

namespace scantune {
namespace {

const TemplateHashes& hashes_for(const std::string& arch) {
  if (arch != "host") return template_hashes(TemplateView::cuda);
  // Kernels of the host device hold the line numbers of their calls, which a comment above changes.
  static const TemplateHashes kHost(template_files(), TemplateView::host, Hashed::text);
  return kHost;
}

}  // namespace

std::string binary_key(const Compiler& compiler, const Instantiation& instantiation, const std::string& arch) {
  const std::string templates = hashes_for(arch).of(instantiation.headers);
  Sha256 hash;
  hash.add_field(templates).add_field(compiler.fingerprint()).add_field(arch).add_field(instantiation.source);
  for (const std::string& kernel : instantiation.kernels) hash.add_field(kernel);
  return hash.hex();
}

}  // namespace scantune
