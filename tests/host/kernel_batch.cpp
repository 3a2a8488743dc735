#include "kernel_batch.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <tuple>

#include "device/host/machine.h"
#include "kept_compiler.h"

namespace scantune {
namespace {

constexpr std::size_t kMostInUnit = 60;  // so that a unit takes a few seconds
constexpr std::string_view kInstance = "namespace scantune::instance {\n";

// A source in its parts. The caller's text comes between two blocks of the same namespace.
struct Parts {
  const Instantiation* whole;
  std::string definitions;
  std::string before, caller, after;
  std::string shared_caller;  // what the instantiations of one unit must agree in: the caller's text if it has macros
};

Parts parts_of(const Instantiation& instantiation) {
  Parts parts{.whole = &instantiation, .definitions = {}, .before = {}, .caller = {}, .after = {}, .shared_caller = {}};
  std::string_view text = instantiation.source;
  while (text.starts_with("#")) {
    const std::size_t end = text.find('\n') + 1;
    if (!text.starts_with("#include")) parts.definitions += text.substr(0, end);
    text.remove_prefix(end);
  }
  const std::size_t first = text.find(kInstance), last = text.rfind(kInstance);
  if (text.starts_with("using namespace scantune;")) {  // all of it is a test's, which begins with this
    parts.caller = std::string(text) + "\n";
    return parts;
  }
  if (first == last) {
    parts.after = text;
    return parts;
  }
  const std::size_t caller = text.find("\n}\n", first) + 3;
  parts.before = text.substr(0, caller);
  parts.caller = text.substr(caller, last - caller);
  parts.after = text.substr(last);
  if (parts.caller.find("#define") != std::string::npos) parts.shared_caller = parts.caller;
  return parts;
}

bool is_of_name(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

// Replaces the global names of a caller by those in a namespace.
std::string in_namespace(std::string_view text, const std::string& name) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_global = text.substr(at, 2) == "::" &&
                           (at == 0 || (!is_of_name(text[at - 1]) && text[at - 1] != '>')) &&
                           is_of_name(text[at + 2]) && !text.substr(at + 2).starts_with("scantune");
    if (is_global) result += name;
    result += text[at];
    if (is_global) result += text[++at];
  }
  return result;
}

std::string replaced(std::string text, std::string_view from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

// The kernels' names begin with a macro that each instantiation defines anew.
constexpr const char* kNamedKernels = R"(#undef SCANTUNE_KERNEL
#define SCANTUNE_BATCH_JOINED(prefix, name) prefix##name
#define SCANTUNE_BATCH_NAME(prefix, name) SCANTUNE_BATCH_JOINED(prefix, name)
#define SCANTUNE_KERNEL(name, block_threads, min_ctas) \
  SCANTUNE_BATCH_KERNEL(SCANTUNE_BATCH_NAME(SCANTUNE_BATCH_PREFIX, name))
#define SCANTUNE_BATCH_KERNEL(name) SCANTUNE_BATCH_NAMED_KERNEL(name)
#define SCANTUNE_BATCH_NAMED_KERNEL(name)                                                                     \
  static void name##_body(const ::scantune::KernelArguments& arguments);                                      \
  extern "C" __attribute__((visibility("default"))) void name(const ::scantune::KernelArguments* arguments) { \
    ::scantune::keep_operator_state(*arguments);                                                              \
    name##_body(*arguments);                                                                                  \
  }                                                                                                           \
  static void name##_body(const ::scantune::KernelArguments& arguments)
#undef SCANTUNE_CLUSTER_KERNEL
#define SCANTUNE_CLUSTER_KERNEL(name, block_threads, min_ctas, cluster_blocks)                                        \
  extern "C" __attribute__((visibility("default"))) ::scantune::i32 SCANTUNE_BATCH_NAME(SCANTUNE_BATCH_PREFIX,        \
                                                                                        name##_cluster_blocks)() {    \
    return cluster_blocks;                                                                                            \
  }                                                                                                                   \
  SCANTUNE_KERNEL(name, block_threads, min_ctas)
)";

JoinedKernels unit_of(std::span<const Parts> all) {
  JoinedKernels joined;
  std::string& source = joined.unit.source;
  std::set<std::string> headers;
  source = all.front().definitions;
  // Each family's header defines the same macro, so it is put on a stack.
  std::vector<std::string> families;
  for (const Parts& parts : all) {
    const std::string& family = parts.whole->headers.front();
    const bool is_new = families.empty() || families.back() != family;
    for (const std::string& header : parts.whole->headers)
      if (headers.insert(header).second) source += "#include \"" + header + "\"\n";
    if (is_new) {
      families.push_back(family);
      source += "#pragma push_macro(\"SCANTUNE_INSTANTIATE\")\n";
    }
  }
  source += kNamedKernels;
  const auto number = [&](const Parts& parts) { return std::to_string(&parts - all.data()); };
  const auto instance = [&](const std::string& text, const Parts& parts) {
    return replaced(text, kInstance, "namespace scantune::instance_" + number(parts) + " {\n");
  };
  const bool is_shared = !all.front().shared_caller.empty();
  for (const Parts& parts : all) source += instance(parts.before, parts);
  if (is_shared) source += "#define SCANTUNE_CALLER\n" + all.front().shared_caller;
  for (std::size_t left = all.size(); left-- > 0;) {
    const Parts& parts = all[left];
    if (families.back() != parts.whole->headers.front()) families.pop_back();
    if (left + 1 == all.size() || all[left + 1].whole->headers.front() != parts.whole->headers.front())
      source += "#pragma pop_macro(\"SCANTUNE_INSTANTIATE\")\n";
    const std::string prefix = "instance_" + number(parts) + "_";
    source += "#undef SCANTUNE_BATCH_PREFIX\n#define SCANTUNE_BATCH_PREFIX " + prefix + "\n";
    if (is_shared || parts.caller.empty()) {
      source += instance(parts.after, parts);
    } else {
      const std::string name = "::caller_" + number(parts);
      source += "#undef SCANTUNE_CALLER\n#define SCANTUNE_CALLER " + name + "\nnamespace caller_" + number(parts) +
                " {\n" + in_namespace(parts.caller, name) + "}\n" + in_namespace(instance(parts.after, parts), name);
    }
    joined.sources.push_back(parts.whole->source);
    joined.prefixes.push_back(prefix);
    for (const std::string& kernel : parts.whole->kernels) joined.unit.kernels.push_back(prefix + kernel);
  }
  joined.unit.headers.assign(headers.begin(), headers.end());
  joined.unit.label = std::to_string(all.size()) + " kernels, of which the first is " + all.front().whole->label;
  return joined;
}

// The templates, in which macros name what is the caller's in the namespace that it has in a unit.
const std::vector<TemplateFile>& templates() {
  static std::vector<std::string> texts;
  static const std::vector<TemplateFile> kTemplates = [] {
    std::vector<TemplateFile> all(template_files().begin(), template_files().end());
    texts.reserve(all.size());
    for (TemplateFile& file : all) {
      if (!std::string_view(file.path).starts_with("core/parts/custom_")) continue;
      // An empty namespace of this name would hide the real one.
      texts.push_back(
          in_namespace(replaced(file.text, "namespace scantune {}", "namespace scantune_ends {}"), "SCANTUNE_CALLER "));
      file.text = texts.back().c_str();
    }
    return all;
  }();
  return kTemplates;
}

}  // namespace

std::vector<JoinedKernels> joined(std::span<const Instantiation> all) {
  std::vector<Parts> parts;
  for (const Instantiation& instantiation : all) parts.push_back(parts_of(instantiation));
  const auto key = [](const Parts& one) {
    return std::tie(one.definitions, one.shared_caller, one.whole->headers, one.whole->source);
  };
  std::ranges::sort(parts, [&](const Parts& one, const Parts& other) { return key(one) < key(other); });
  std::vector<JoinedKernels> units;
  for (std::size_t begin = 0; begin < parts.size();) {
    std::size_t end = begin + 1;
    while (end < parts.size() && end - begin < kMostInUnit && parts[end].definitions == parts[begin].definitions &&
           parts[end].shared_caller == parts[begin].shared_caller)
      ++end;
    units.push_back(unit_of(std::span(parts).subspan(begin, end - begin)));
    begin = end;
  }
  return units;
}

std::unique_ptr<Compiler> joined_compiler() { return kept(std::make_unique<HostCompiler>(templates(), "-O0")); }

void KernelBatch::add(std::span<const Instantiation> all) {
  std::map<std::string, const Instantiation*> wanted;
  for (const Instantiation& instantiation : all)
    if (!modules_.contains(instantiation.source)) wanted.emplace(instantiation.source, &instantiation);
  std::vector<Instantiation> missing;
  for (const auto& [source, instantiation] : wanted) missing.push_back(*instantiation);
  const auto compiler = joined_compiler();
  for (const JoinedKernels& unit : joined(missing)) {
    const auto library = std::make_shared<HostLibrary>(compiler->compile(unit.unit, "host"), Machine::hooks());
    for (std::size_t index = 0; index < unit.sources.size(); ++index)
      modules_[unit.sources[index]] =
          std::make_unique<HostModule>(library, wanted.at(unit.sources[index])->kernels, unit.prefixes[index]);
  }
}

const Module* KernelBatch::find(const Instantiation& instantiation) const {
  const auto found = modules_.find(instantiation.source);
  return found == modules_.end() ? nullptr : found->second.get();
}

}  // namespace scantune
