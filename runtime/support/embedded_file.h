// Text files that the build puts into the library; scantune_embed() in runtime/CMakeLists.txt makes them.
#pragma once

namespace scantune {

struct EmbeddedFile {
  const char* path;  // relative to the root that was given to scantune_embed()
  const char* text;
};

}  // namespace scantune
