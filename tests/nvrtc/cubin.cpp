#include "cubin.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace scantune {
namespace {

constexpr const char* kGlobalAddresses = ".nv.constant4";

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

template <class T>
std::vector<T> array_in(std::string_view bytes) {
  std::vector<T> items(bytes.size() / sizeof(T));
  std::memcpy(items.data(), bytes.data(), items.size() * sizeof(T));
  return items;
}

// The attributes of a kernel, without the symbol's number in the one that tells where its arguments are.
std::string launch_attributes(std::string_view bytes) {
  constexpr char kWithSize = 4, kArguments = 10;
  constexpr std::size_t kHead = 4;  // format, attribute, and the size of what follows or the value itself
  std::string attributes;
  while (bytes.size() >= kHead) {
    std::uint16_t size;
    std::memcpy(&size, bytes.data() + 2, sizeof size);
    const std::size_t end = kHead + (bytes[0] == kWithSize ? size : 0);
    std::string attribute(bytes.substr(0, end));
    if (bytes[0] == kWithSize && bytes[1] == kArguments) attribute.replace(kHead, sizeof(std::uint32_t), "");
    attributes += attribute;
    bytes.remove_prefix(std::min(end, bytes.size()));
  }
  return attributes;
}

std::string_view section_named(const std::vector<Section>& sections, std::string_view name) {
  for (const Section& section : sections)
    if (section.name == name) return section.bytes;
  return {};
}

}  // namespace

std::string code_of(const std::vector<char>& cubin) {
  std::string code;
  for (const Section& section : sections_of(cubin))
    if (section.name.starts_with(".nv.info."))
      code += launch_attributes(section.bytes);
    else if (section.name.starts_with(".text.") || section.name.starts_with(".rela.text.") ||
             (section.name.starts_with(".nv.constant") && section.name != kGlobalAddresses))
      code += section.bytes;
  return code;
}

GlobalAddresses global_addresses_of(const std::vector<char>& cubin) {
  const std::vector<Section> sections = sections_of(cubin);
  const auto symbols = array_in<Elf64_Sym>(section_named(sections, ".symtab"));
  const std::string_view names = section_named(sections, ".strtab");
  GlobalAddresses addresses;
  for (const auto& one : array_in<Elf64_Rela>(section_named(sections, std::string(".rela") + kGlobalAddresses)))
    addresses.emplace(one.r_offset, names.data() + symbols.at(ELF64_R_SYM(one.r_info)).st_name);
  return addresses;
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
