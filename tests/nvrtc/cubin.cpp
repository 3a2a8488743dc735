#include "cubin.h"

#include <elf.h>

#include <cstring>
#include <stdexcept>
#include <string_view>

namespace scantune {

std::string code_of(const std::vector<char>& cubin) {
  Elf64_Ehdr header;
  if (cubin.size() < sizeof header) throw std::runtime_error("a cubin is an ELF file");
  std::memcpy(&header, cubin.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) throw std::runtime_error("a cubin is an ELF file");
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), cubin.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  const char* names = cubin.data() + sections.at(header.e_shstrndx).sh_offset;
  std::string code;
  for (const Elf64_Shdr& section : sections) {
    const std::string_view name = names + section.sh_name;
    if (name.starts_with(".text.") || name.starts_with(".nv.info."))
      code.append(cubin.data() + section.sh_offset, section.sh_size);
  }
  return code;
}

}  // namespace scantune
