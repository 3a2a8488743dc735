#include "cubin.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string_view>

namespace scantune {
namespace {

constexpr const char* kGlobalAddresses = ".nv.constant4";
constexpr const char* kParameters = ".nv.constant0";

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

// The attributes of a kernel, without what they say of its parameters.
struct Attributes {
  std::string kept;
  std::uint16_t first_parameter = 0;  // where its parameters begin in bank 0 of constants
};
Attributes launch_attributes(std::string_view bytes) {
  constexpr char kWithSize = 4, kArguments = 10, kParameter = 23, kParameterBytes = 25;
  constexpr std::size_t kHead = 4;  // format, attribute, and the size of what follows or the value itself
  Attributes attributes;
  while (bytes.size() >= kHead) {
    std::uint16_t size;
    std::memcpy(&size, bytes.data() + 2, sizeof size);
    const std::size_t end = kHead + (bytes[0] == kWithSize ? size : 0);
    if (bytes[0] == kWithSize && bytes[1] == kArguments)  // behind the number of a symbol
      std::memcpy(&attributes.first_parameter, bytes.data() + kHead + sizeof(std::uint32_t), sizeof(std::uint16_t));
    else if (bytes[1] != kParameter && bytes[1] != kParameterBytes)
      attributes.kept += bytes.substr(0, end);
    bytes.remove_prefix(std::min(end, bytes.size()));
  }
  return attributes;
}

// The instructions with numbers in the place of parameters. One that reads constants says so in its opcode, and has the
// bank and the byte there.
std::string without_places(std::string_view text, std::uint16_t first_parameter) {
  constexpr std::uint64_t kByteBit = 38, kByteMask = 0xffff, kBankMask = std::uint64_t{0x1f} << 54;
  std::map<std::uint64_t, std::uint64_t> numbers;
  std::vector<std::uint64_t> words = array_in<std::uint64_t>(text);
  for (std::size_t place = 0; place < words.size(); place += 2) {  // two words each
    const std::uint64_t operands = words[place] >> 9 & 7, byte = words[place] >> kByteBit & kByteMask;
    if ((operands != 3 && operands != 5) || (words[place] & kBankMask) != 0 || byte < first_parameter) continue;
    const std::uint64_t number = numbers.emplace(byte, numbers.size()).first->second;
    words[place] = (words[place] & ~(kByteMask << kByteBit)) | number << kByteBit;
  }
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint64_t)};
}

std::string_view section_named(const std::vector<Section>& sections, std::string_view name) {
  for (const Section& section : sections)
    if (section.name == name) return section.bytes;
  return {};
}

}  // namespace

std::string code_of(const std::vector<char>& cubin) {
  const std::vector<Section> sections = sections_of(cubin);
  std::string code;
  for (const Section& section : sections)
    if (section.name.starts_with(".text.")) {
      const std::string kernel(section.name.substr(std::strlen(".text.")));
      const Attributes attributes = launch_attributes(section_named(sections, ".nv.info." + kernel));
      code += attributes.kept + without_places(section.bytes, attributes.first_parameter);
    } else if (section.name.starts_with(".rela.text.") ||
               (section.name.starts_with(".nv.constant") && !section.name.starts_with(kParameters) &&
                section.name != kGlobalAddresses)) {
      code += section.bytes;
    }
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
