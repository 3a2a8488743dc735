#include "instances.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

#include "jit/nvrtc_library.h"
#include "scantune/error.hpp"
#include "support/dynamic_library.h"

namespace scantune {
namespace {

constexpr const char* kBegin = "namespace scantune::instance {";
constexpr const char* kUnmangled = "extern \"C\" __global__";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string name_of_instance(std::size_t number) { return "instance" + std::to_string(number) + "_"; }

std::string ptx_of(const std::string& program, int sm, std::span<const TemplateFile> templates) {
  // Kernels without a name of C have one of their namespace.
  std::vector<std::string> own;
  std::vector<const char*> texts, names;
  for (const TemplateFile& file : templates) own.push_back(replaced(file.text, kUnmangled, "__global__"));
  for (std::size_t file = 0; file < own.size(); ++file) {
    texts.push_back(own[file].c_str());
    names.push_back(templates[file].path);
  }
  const NvrtcLibrary& nvrtc = NvrtcLibrary::instance();
  static const DynamicLibrary kSame(nvrtc_candidates());  // for two functions that the library does not use
  const auto size_of_ptx = kSame.find_as<decltype(&nvrtcGetPTXSize)>("nvrtcGetPTXSize");
  const auto get_ptx = kSame.find_as<decltype(&nvrtcGetPTX)>("nvrtcGetPTX");
  const std::string arch = "--gpu-architecture=compute_" + std::to_string(sm);
  std::vector<const char*> options = {"--std=c++20", "--device-as-default-execution-space", "--minimal",
                                      "--no-source-include", arch.c_str()};
  // Optimising takes most of the time; older releases know no other way.
  if (nvrtc.version() >= NvrtcVersion{13, 0}) options.push_back("--Ofast-compile=max");
  nvrtcProgram made = nullptr;
  nvrtc.nvrtcCreateProgram(&made, program.c_str(), "instances.cu", static_cast<int>(names.size()), texts.data(),
                           names.data());
  const nvrtcResult result = nvrtc.nvrtcCompileProgram(made, static_cast<int>(options.size()), options.data());
  std::size_t bytes = 0;
  std::string text;
  if (result == NVRTC_SUCCESS) {
    size_of_ptx(made, &bytes);
    text.resize(bytes);
    get_ptx(made, text.data());
  } else {
    nvrtc.nvrtcGetProgramLogSize(made, &bytes);
    text.resize(bytes);
    nvrtc.nvrtcGetProgramLog(made, text.data());
  }
  nvrtc.nvrtcDestroyProgram(&made);
  if (result != NVRTC_SUCCESS) throw CompileError(text);
  return text;
}

bool is_of_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '$';
}

// Functions and variables of a module by their names.
class Definitions {
 public:
  explicit Definitions(const std::string& ptx) {
    std::istringstream lines(ptx);
    std::string name, text;
    for (std::string line; std::getline(lines, line);) {
      line = line.substr(0, line.find("//"));
      if (line.find_first_not_of(" \t") == std::string::npos) continue;
      if (const std::string defined = defined_in(line); !defined.empty()) {
        keep(name, text);
        name = defined;
        text.clear();
      }
      text += line + "\n";
    }
    keep(name, text);
  }

  // Kernels of a namespace with all that they use, in the module's order.
  std::string code_of(const std::string& name_space) const {
    std::map<std::string, std::size_t> numbers;
    std::vector<std::string> wanted;
    for (const std::string& name : order_)
      if (name.find(name_space) != std::string::npos && text_.at(name).find(".entry") != std::string::npos)
        wanted.push_back(name);
    std::string code;
    for (std::size_t next = 0; next < wanted.size(); ++next) code += renamed(text_.at(wanted[next]), numbers, wanted);
    return code;
  }

 private:
  static constexpr std::size_t kNone = std::string::npos;

  // The name that a line at the outer level begins to define; "" for other lines.
  static std::string defined_in(const std::string& line) {
    if (line[0] != '.' && line[0] != ')') return "";
    const bool defines = line.find(".entry ") != kNone || line.find(".func ") != kNone ||
                         line.find(".global ") != kNone || line.find(".const ") != kNone ||
                         line.find(".shared ") != kNone;
    if (!defines) return "";
    std::size_t at = line.find("_Z");
    if (at == kNone) return "";
    std::size_t end = at;
    while (end < line.size() && is_of_name(line[end])) ++end;
    return line.substr(at, end - at);
  }

  void keep(const std::string& name, const std::string& text) {
    if (name.empty()) return;
    if (!text_.contains(name)) order_.push_back(name);
    text_[name] = text;  // a declaration comes before its definition
  }

  // The text with numbers for names; what it uses is appended to `wanted`.
  std::string renamed(const std::string& text, std::map<std::string, std::size_t>& numbers,
                      std::vector<std::string>& wanted) const {
    std::string code;
    for (std::size_t at = 0; at < text.size();) {
      if (!is_of_name(text[at])) {
        code += text[at++];
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && is_of_name(text[end])) ++end;
      const std::string word = text.substr(at, end - at);
      at = end;
      const std::size_t parameter = word.find("_param_");
      const std::string name = word.substr(0, parameter);
      if (name.starts_with("_Z")) {
        const auto [known, is_new] = numbers.emplace(name, numbers.size());
        if (is_new && text_.contains(name) && std::find(wanted.begin(), wanted.end(), name) == wanted.end())
          wanted.push_back(name);
        code += "name" + std::to_string(known->second) + (parameter == kNone ? "" : word.substr(parameter));
      } else if (word.starts_with("$L__") || word.starts_with("__local_depot")) {
        code += label_of(word);
      } else {
        code += word;
      }
    }
    return code;
  }

  // A label without the number of its function.
  static std::string label_of(const std::string& word) {
    const std::size_t last = word.rfind('_');
    return word.starts_with("$L__") ? "label" + word.substr(last) : "local_depot";
  }

  std::vector<std::string> order_;
  std::map<std::string, std::string> text_;
};

}  // namespace

Instantiation merged(const std::vector<Instantiation>& all) {
  Instantiation result;
  const auto definitions_of = [](const std::string& source) { return source.substr(0, source.find("#include")); };
  const std::string definitions = definitions_of(all.front().source);
  std::string instances;
  for (std::size_t number = 0; number < all.size(); ++number) {
    const Instantiation& one = all[number];
    if (definitions_of(one.source) != definitions)
      throw std::runtime_error(one.label + " takes other definitions than " + all.front().label);
    // The headers of each family define one macro anew, which its instances take.
    std::vector<std::string> own_headers;
    std::ranges::copy_if(one.headers, std::back_inserter(own_headers), [&](const std::string& header) {
      return std::ranges::find(result.headers, header) == result.headers.end();
    });
    if (number > 0 && own_headers.empty() && one.headers != all[number - 1].headers)
      throw std::runtime_error(one.label + " does not stand beside the others of its family");
    if (!own_headers.empty()) instances += "#undef SCANTUNE_INSTANTIATE\n";
    for (const std::string& header : own_headers) instances += "#include \"" + header + "\"\n";
    result.headers.insert(result.headers.end(), own_headers.begin(), own_headers.end());
    std::string own = one.source.substr(one.source.find(kBegin));
    // The caller's source, between two blocks of the instance, belongs to all: it is there once.
    if (const std::size_t block = own.find(kBegin, 1); number > 0 && block != std::string::npos) {
      const std::size_t end = own.find("\n}\n", own.find("ScantuneProblemOf")) + 3;
      own.erase(end, block - end);
    }
    instances += replaced(own, "scantune::instance {", "scantune::" + name_of_instance(number) + " {");
    result.kernels.insert(result.kernels.end(), one.kernels.begin(), one.kernels.end());
    result.label += one.label + "\n";
  }
  result.source = definitions + instances;
  return result;
}

std::vector<std::string> code_of_instances(const std::vector<Instantiation>& all, int sm,
                                           std::span<const TemplateFile> templates) {
  const Definitions definitions(ptx_of(merged(all).source, sm, templates));
  std::vector<std::string> codes;
  for (std::size_t number = 0; number < all.size(); ++number)
    codes.push_back(definitions.code_of(name_of_instance(number)));
  return codes;
}

}  // namespace scantune
