#include "cubin.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace scantune {
namespace {

struct Section {
  std::string_view name;
  std::string_view bytes;
};

std::vector<Section> sections_of(const std::vector<char>& cubin) {
  Elf64_Ehdr header;
  if (cubin.size() < sizeof header) throw std::runtime_error("a cubin is an ELF file");
  std::memcpy(&header, cubin.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) throw std::runtime_error("a cubin is an ELF file");
  std::vector<Elf64_Shdr> headers(header.e_shnum);
  std::memcpy(headers.data(), cubin.data() + header.e_shoff, headers.size() * sizeof(Elf64_Shdr));
  const char* names = cubin.data() + headers.at(header.e_shstrndx).sh_offset;
  std::vector<Section> sections;
  for (const Elf64_Shdr& section : headers)
    if (section.sh_type != SHT_NOBITS)
      sections.push_back({names + section.sh_name, {cubin.data() + section.sh_offset, section.sh_size}});
  return sections;
}

}  // namespace

std::string code_of(const std::vector<char>& cubin) {
  std::string code;
  for (const Section& section : sections_of(cubin))
    if (section.name.starts_with(".text.") || section.name.starts_with(".nv.info.")) code += section.bytes;
  return code;
}

// Since sm_70 an instruction has 16 bytes, and its opcode is the lowest 12 bits.
std::vector<unsigned> opcodes_of(const std::vector<char>& cubin, const std::string& kernel) {
  constexpr std::size_t kInstructionBytes = 16;
  for (const Section& section : sections_of(cubin)) {
    if (section.name != ".text." + kernel) continue;
    std::vector<unsigned> opcodes;
    for (std::size_t offset = 0; offset < section.bytes.size(); offset += kInstructionBytes) {
      std::uint16_t word;
      std::memcpy(&word, section.bytes.data() + offset, sizeof word);
      opcodes.push_back(word & 0xfff);
    }
    return opcodes;
  }
  throw std::runtime_error("the cubin has no kernel " + kernel);
}

}  // namespace scantune
