// Sources of operators that make a compiler read a file, in every spelling.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

namespace scantune {

struct FileReadingSource {
  const char* name;  // usable in the name of a test
  int line;          // the line that reads the file
  std::string source;
};

inline void PrintTo(const FileReadingSource& tested, std::ostream* out) { *out << tested.name; }

// Operators that are complete without the file, so that nothing else is wrong with them.
inline std::vector<FileReadingSource> file_reading_sources(const std::string& file = "/etc/hostname") {
  const std::string quoted = '"' + file + '"';
  const std::string combine = "\n__device__ Value combine(Value earlier, Value later) { return later; }\n";
  std::vector<FileReadingSource> sources = {
      {"include", 1, "#include " + quoted},
      {"include_in_angles", 1, "#include <" + file + ">"},
      {"include_with_blanks", 2, "\n \t#\t include " + quoted},
      {"include_after_other_blanks", 1, "\v\f#\finclude\v" + quoted},
      {"include_next", 2, "int before;\n#include_next " + quoted},
      {"include_macros", 1, "#__include_macros " + quoted},
      {"import", 1, "#import " + quoted},
      {"embed", 2, "const unsigned char bytes[] = {\n#embed " + quoted + "\n};"},
      {"name_of_a_macro", 2, "#define FILE " + quoted + "\n#include FILE"},
      {"digraph", 1, "%:include " + quoted},
      {"continued_line", 2, "\n#inc\\\nlude \\\n" + quoted},
      {"continued_line_with_carriage_return", 1, "#inc\\\r\nlude " + quoted},
      {"comment_inside", 1, "#/* a */include/* b */" + quoted},
      {"comment_before", 2, "/* a\n*/ #include " + quoted},
      {"comment_of_lines_after_code", 2, "int a; /*\n*/ #include " + quoted},
      {"universal_character_name", 1, "#incl\\u0075de " + quoted},
      {"line_with_a_name", 1, "#line 1 " + quoted + "\nint x = y;"},
      {"line_with_the_name_of_a_macro", 2, "#define PLACE 1 " + quoted + "\n#line PLACE\nint x = y;"},
      {"line_marker", 1, "# 1 " + quoted + "\nint x = y;"},
      {"has_include", 1, "#if __has_include(" + quoted + ")\nint a;\n#endif"},
      {"has_include_by_a_macro", 1, "#define HAS __has_include\n#if HAS(" + quoted + ")\nint a;\n#endif"},
      {"has_embed", 1, "#if defined __has_embed\nint a;\n#endif"},
      {"dependency", 1, "#pragma GCC dependency " + quoted},
      {"import_of_a_header", 1, "import " + quoted + ";"},
      {"import_of_a_header_in_angles", 1, "export import <" + file + ">;"},
      {"import_of_a_module", 1, "import maps;"},
      {"import_of_a_partition", 1, "import :maps;"},
      {"module_fragment", 1, "module;"},
      {"module", 1, "export module maps;"},
      {"after_a_string_with_a_comment", 2, "const char* a = \"/*\";\n#include " + quoted + "\n// */"},
      {"after_a_character_with_a_comment", 2, "const int a = '/*';\n#include " + quoted + "\n// */"},
      {"after_a_quote_without_an_end", 3, "#if 0\ndon't /*\n#include " + quoted + "\n#endif\n// */"},
      {"after_a_raw_string", 2, "const char* a = R\"x()\" /* )x\";\n#include " + quoted + "\n// */"},
      {"after_what_only_looks_like_a_raw_string", 3,
       "#define fooR\nconst char* a = fooR\"(\";\n#include " + quoted + "\n//)\""},
      {"after_a_digit_separator", 2, "const int a = 1'0/*'0*/;\n#include " + quoted},
      {"after_a_continued_comment", 3, "// a \\\n b\n#include " + quoted},
      {"in_a_group_that_is_left_out", 2, "#if 0\n#include " + quoted + "\n#endif"},
  };
  for (FileReadingSource& one : sources) one.source += combine;
  return sources;
}

// Sources with text that one compiler takes for a directive and another for something else, so that both refuse it.
inline std::vector<FileReadingSource> unclear_sources(const std::string& file = "/etc/hostname") {
  const std::string include = "#include \"" + file + "\"";
  return {
      {"carriage_return", 1, "// a \r" + include},
      {"zero", 1, std::string("#\0", 2) + "include \"" + file + "\""},
      {"blanks_after_a_backslash", 1, "// a \\ \n" + include},
      {"raw_string_of_lines_in_a_directive", 1, "#define A R\"(\n" + include + "\n)\""},
      {"raw_string_after_a_letter_outside_ascii", 1, "const char* a = \u00a0R\"(\n" + include + "\n)\";"},
      {"raw_string_after_a_literal", 1, "const char* a = \"x\"R\"(\" /* )\";\n" + include + "\n// */"},
      {"quote_after_a_number", 1, "int a = 1'/*\n" + include + "\n// */"},
      {"quote_after_a_letter_and_a_digit", 1,
       "#define A \x92"
       "1'1'/*\n" +
           include + "\n// */"},
      {"separator_after_a_digit_and_a_letter", 1, "#define A 1\x92'1 /*'\n" + include + "\n// */"},
      {"quote_after_a_literal_with_such_a_suffix", 1,
       "#define A ''\x92"
       "1'1'/*\n" +
           include + "\n// */"},
      {"raw_string_on_two_lines", 2, "#define X(a) a\nconst char* a = X(R\\\n\"()\");\n" + include},
      {"raw_string_after_a_number", 1, "const char* a = 1R\"(\n" + include + "\n//)\";"},
      {"raw_string_with_a_blank_delimiter", 2, "#if 0\nR\" (\" /* ) \"\n#endif\n" + include + "\n// */"},
      {"raw_string_with_a_long_delimiter", 1, "const char* a = R\"aaaaaaaaaaaaaaaaa(\n" + include + "\n)\";"},
      {"raw_string_without_an_end", 1, "const char* a = R\"(\n" + include},
      {"decimal_number_with_a_binary_exponent", 1, "#define A 1p+R\"(\" /* )\"\n" + include + "\n// */"},
      {"comment_of_lines_in_a_message", 1, "#warning /*\n" + include + "\n// */"},
      {"backslash", 1, "int \\u00e1;\n" + include},
  };
}

// Sources that hold directives in strings and comments alone, where they read nothing.
inline std::vector<FileReadingSource> sources_that_read_nothing() {
  return {
      {"raw_string_of_lines", 0, "const char* a = R\"(\n#include \"a.h\"\n)\";"},
      {"raw_string_with_a_delimiter", 0, "const auto* a = u8R\"x-(\n)\"\n#include \"a.h\"\n)x-\";"},
      {"raw_string_with_backslashes", 0, "const char* a = R\"(\\\n#include \"a.h\"\n\\ \n)\";"},
      {"string", 0, "const char* a = \"#include \\\"a.h\\\"\";\nconst char* b = \"\\\n#include\";"},
      {"comment", 0, "/*\n#include \"a.h\"\n*/\n// #include \"b.h\" \\\n#include \"c.h\"\n"},
      {"asterisk_comment", 0, "/*/\n#include \"a.h\"\n/**/"},
      {"other_directives", 0,
       "#\n#ifndef A\n#define A(x) #x ## x /*\n*/ 1\n#undef A\n#pragma unroll\n#if 1\n#elif 0\n#else\n#endif\n#line "
       "7\n#endif"},
      {"digit_separators", 0, "const int a = 1'000 /* a comment */, b = 0x1'ff; const char c = 'R', d = '\"';"},
      {"names", 0,
       "namespace module {\ninline int f() { return 1; }\n}\ninline int include(int import) {\nimport = 3;\nreturn\n"
       "module::f() + import;\n}"},
      {"windows_lines", 0, "#define A \\\r\n  1\r\nint a = A;\r\n"},
      {"letters_outside_ascii", 0, "const char* a = \"\u00e9\"; // \u00a0#include\n"},
      {"nothing", 0, ""},
  };
}

// A file with a text that no message may quote.
class SecretFile {
 public:
  static constexpr const char* kText = "tell nobody";

  SecretFile() : path_(std::filesystem::temp_directory_path() / ("scantune-secret-" + std::to_string(getpid()))) {
    std::ofstream(path_) << kText << "\n";
  }
  SecretFile(const SecretFile&) = delete;
  SecretFile& operator=(const SecretFile&) = delete;
  ~SecretFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace scantune
