// What every compiler refuses in a caller's operator, and what every one accepts.
#include "own_operator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "file_reading_sources.h"
#include "operator_sources.h"
#include "scantune/error.hpp"

namespace scantune::own_operator_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class WrongDefinition : public testing::TestWithParam<OperatorMistake> {};

TEST_P(WrongDefinition, IsTheFirstThingSaid) {
  const OperatorMistake& mistake = GetParam();
  EXPECT_THAT(log_of(mistake.request, mistake.custom),
              StartsWith("operator.cu:" + std::to_string(mistake.line) + ": error: " + mistake.word));
}

INSTANTIATE_TEST_SUITE_P(OfACaller, WrongDefinition, testing::ValuesIn(mistakes_of_definitions()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(CustomOperator, ThatReadsAFileIsRefusedInEverySpellingAndTheFileIsNotQuoted) {
  const SecretFile file;
  auto sources = file_reading_sources(file.path());
  for (const FileReadingSource& one : unclear_sources(file.path())) sources.push_back(one);
  for (const FileReadingSource& one : sources) {
    const std::string log = log_of(kScanOfFloats, {.source = one.source, .name = ""});
    EXPECT_THAT(log, StartsWith("operator.cu:" + std::to_string(one.line) + ": error: ")) << one.name;
    EXPECT_THAT(log, Not(HasSubstr(SecretFile::kText))) << one.name;
  }
}

TEST(CustomOperator, MayNameDirectivesInItsStringsAndComments) {
  std::string source;
  for (const FileReadingSource& one : sources_that_read_nothing())
    source += std::string("namespace ") + one.name + "_ {\n" + one.source + "\n}\n";
  // What a source that other compilers read, too, begins with.
  source +=
      "#ifndef __CUDACC__\n#define __device__\n#define __forceinline__ inline\n#endif\n"
      "#ifndef __device__\n#define __device__\n#endif\n#ifndef INFINITY\n#define INFINITY 1e300\n#endif\n";
  source += "__device__ Value combine(Value earlier, Value later) { return later; }\n";
  EXPECT_NO_THROW(compiled(kScanOfFloats, {.source = source, .name = ""}));
}

TEST(CustomOperator, KeepsItsMacrosToItself) {
  std::string source;
  for (const char* name :
       {"arguments", "instance", "scantune", "block_threads", "Choice", "lane", "items", "tile", "input", "void"})
    source += std::string("#define ") + name + " 1\n";
  source += "__device__ Value combine(Value earlier, Value later) { return earlier + later; }\n";
  EXPECT_NO_THROW(compiled(kScanOfFloats, {.source = source, .name = ""}));
}

// Its address is not where its & says.
TEST(CustomOperator, MayHaveAnAddressOperatorOfItsOwn) {
  ScanRequest request = kScanOfFloats;
  request.input_type = request.accumulator_type = request.output_type = ValueType::custom;
  request.custom_bytes = 8;
  request.custom_alignment = 4;
  const std::string source =
      "struct Value { int a, b; __device__ int operator&() = delete; };\n"
      "__device__ Value combine(Value x, Value y) { return {x.a + y.a, y.b}; }\n";
  EXPECT_NO_THROW(compiled(request, {.source = source, .name = ""}));
}

}  // namespace
}  // namespace scantune::own_operator_test
