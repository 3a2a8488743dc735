# Writes a C++ source that defines `std::span<const EmbeddedFile> SYMBOL()` over FILES, which lie under ROOT.
# cmake -DOUTPUT=... -DSYMBOL=... -DROOT=... -DFILES=a|b|... -P embed.cmake
string(REPLACE "|" ";" FILES "${FILES}")
set(entries "")
foreach(path IN LISTS FILES)
  file(READ "${ROOT}/${path}" text)
  if(text MATCHES "\\)__embedded__\"")
    message(FATAL_ERROR "${path} holds the delimiter of the raw string that would embed it")
  endif()
  string(APPEND entries "    {\"${path}\", R\"__embedded__(${text})__embedded__\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Generated from ${SYMBOL}'s files by runtime/support/embed.cmake.
#include <span>

#include \"support/embedded_file.h\"

namespace scantune {

std::span<const EmbeddedFile> ${SYMBOL}();
std::span<const EmbeddedFile> ${SYMBOL}() {
  static constexpr EmbeddedFile kFiles[] = {
${entries}  };
  return kFiles;
}

}  // namespace scantune
")
