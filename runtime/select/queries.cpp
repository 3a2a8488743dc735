#include "select/queries.h"

#include <span>

#include "scantune/error.hpp"
#include "support/embedded_file.h"

namespace scantune {

std::span<const EmbeddedFile> database_queries();  // embedded by the build

std::string query(std::string_view file) {
  for (const EmbeddedFile& embedded : database_queries())
    if (file == embedded.path) return embedded.text;
  throw DatabaseError("the library was built without db/queries/" + std::string(file));
}

}  // namespace scantune
