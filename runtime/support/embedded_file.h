// Text files embedded in the library by scantune_embed() of runtime/CMakeLists.txt.
#pragma once

namespace scantune {

struct EmbeddedFile {
  const char* path;  // relative to the root that was given to scantune_embed()
  const char* text;
};

}  // namespace scantune
