// Prints every path that the environment may name, one on each line.
#include <iostream>

#include "jit/host_compiler.h"
#include "jit/nvrtc_library.h"
#include "select/layers.h"
#include "space/space.h"
#include "support/paths.h"

int main() {
  for (const std::string& library : scantune::nvrtc_candidates()) std::cout << "NVRTC " << library << '\n';
  std::cout << "compiler " << scantune::HostCompiler().fingerprint() << '\n';
  if (const auto directory = scantune::cache_directory()) std::cout << "cache " << directory->string() << '\n';
  if (const auto file = scantune::user_database()) std::cout << "database " << file->string() << '\n';
  for (const auto& file : scantune::project_databases()) std::cout << "project database " << file.string() << '\n';
  if (const auto directory = scantune::synced_directory())
    std::cout << "synced databases " << directory->string() << '\n';
  std::vector<std::string> remarks;
  for (const auto& [layer, file] : scantune::layered_files(remarks))
    std::cout << "layer " << scantune::token(layer) << ' ' << file.string() << '\n';
}
