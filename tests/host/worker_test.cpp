#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "families_under_test.h"
#include "measure/exhibits.h"
#include "measure/measure.h"
#include "worker/session.h"

namespace scantune::worker_test {
namespace {

struct Ran {
  int code;  // 128 and more mean that a signal killed the worker
  std::string output;
};

// Runs the worker as a client would, with the text on its standard input.
Ran run_worker(const std::string& options, const std::string& input, const std::string& behind = "") {
  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()) / ("worker-" + std::to_string(getpid()));
  std::ofstream(file) << input;
  const std::string command = "SCANTUNE_CACHE='" SCANTUNE_TEST_CACHE "' timeout 60 '" SCANTUNE_WORKER_PROGRAM "' " +
                              options + " < '" + file.string() + "' 2>&1 " + behind;
  FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  for (int character; (character = std::fgetc(pipe)) != EOF;) output += static_cast<char>(character);
  const int status = pclose(pipe);
  std::filesystem::remove(file);
  return {WEXITSTATUS(status), output};
}

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
  return lines;
}

class WorkerOnHost : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("SCANTUNE_CACHE", SCANTUNE_TEST_CACHE, 1); }

  Json result(const std::string& method, const Json& params) {
    const Json answer = Json::parse(session_.respond(Json{{"id", 1}, {"method", method}, {"params", params}}.dump()));
    EXPECT_EQ(answer["ok"], true) << answer;
    return answer.value("result", Json::object());
  }
  static Json request(ValueType type, u64 n, Operator op = Operator::sum) {
    return {{"input_type", token(type)}, {"op", token(op)}, {"n", n}};
  }

  Session session_{[] { return host_device(); }};
};

struct Problem {
  const FamilyModel* family;
  const char* request;  // leaves out n
  bool all_kinds;
};

constexpr int kItems = 5000;

Json asked_of(const char* request) { return Json::parse("{\"n\": " + std::to_string(kItems) + ", " + request + "}"); }

// Each way in which a request may differ, and each family. Tests of the kernels themselves have their products.
std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (const auto& [request, all_kinds] : {
           std::pair{R"("input_type": "i32")", true},
           std::pair{R"("input_type": "i8", "output_type": "i64", "op": "max")", false},
           std::pair{R"("input_type": "u8", "op": "min", "kind": "exclusive", "init": "memory")", false},
           std::pair{R"("input_type": "u32", "op": "bit_or", "output_type": "u8")", false},
           std::pair{R"("input_type": "u16", "output_type": "f16", "accumulator_type": "f64")", false},
           std::pair{R"("input_type": "bf16", "op": "min")", false},
           std::pair{R"("input_type": "custom12", "op": "custom_expensive", "operator": {"alignment": 2})", false},
           std::pair{R"("input_type": "f32", "op": "custom_expensive")", false},
       }) {
    std::vector<const FamilyModel*> families;
    for (const FamilyModel* family : scan_families())
      if (family->unsupported_reason(stated_request(asked_of(request)).request, kHostSm) == nullptr)
        families.push_back(family);
    all.push_back({families.at(all.size() % families.size()), request, all_kinds});
  }
  return all;
}

class WorkerOnHostVerifies : public WorkerOnHost, public ::testing::WithParamInterface<Problem> {};

INSTANTIATE_TEST_SUITE_P(All, WorkerOnHostVerifies, ::testing::ValuesIn(problems()), [](const auto& parameter) {
  std::string name = std::string(parameter.param.family->name()) + "_" + parameter.param.request;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_'; });
  return name;
});

TEST_P(WorkerOnHostVerifies, TheDefaultConfigOfEveryFamily) {
  const auto& [family, request, all_kinds] = GetParam();
  const Json asked = asked_of(request);
  const Config config = family->default_config(stated_request(asked).request, kHostSm);
  const Json verified = result("verify", {{"request", asked}, {"config", to_json(config)}, {"all_kinds", all_kinds}});
  EXPECT_GE(verified["checks"], all_kinds ? 50 : 15);
}

constexpr const char* kAffine = R"(
struct Value {
  float factor, offset;
};
__device__ Value combine(Value earlier, Value later) {
  return {earlier.factor * later.factor, earlier.offset * later.factor + later.offset};
}
)";

Json custom_request(const std::string& source) {
  return {{"input_type", "custom8"},
          {"op", "custom_moderate"},
          {"n", 3000},
          {"operator", {{"name", "affine"}, {"source", source}, {"alignment", 4}}}};
}

TEST_F(WorkerOnHost, TunesTheCallersOwnOperator) {
  const Json asked = custom_request(kAffine);
  const Json config = result("space", {{"request", asked}})["default_config"];
  EXPECT_GE(result("verify", {{"request", asked}, {"config", config}})["checks"], 30);
  const Json measured =
      result("measure", {{"request", asked}, {"configs", {config}}, {"policy", {{"rounds", 1}, {"min_round_ms", 0}}}});
  EXPECT_GT(measured["measurements"][0]["median_us"], 0);
}

// Offsets of 64 bits begin on boundaries of their own, though those of 33 segments, of 32 bits, take more bytes.
TEST_F(WorkerOnHost, VerifiesSegmentsByOffsetsOfEveryWidth) {
  const Json asked = {
      {"algorithm", "reduce"}, {"input_type", "i32"}, {"segments", "offsets"}, {"segment_count", 3}, {"n", 700}};
  const Json config = result("space", {{"request", asked}})["default_config"];
  EXPECT_GE(result("verify", {{"request", asked}, {"config", config}, {"all_kinds", true}})["checks"], 50);
}

// Arrays begin with their lowest item, which is not the first one here.
TEST_F(WorkerOnHost, VerifiesAndMeasuresCopiesWithStrides) {
  const Json asked = {{"algorithm", "copy"},
                      {"input_type", "u16"},
                      {"segments", "columns"},
                      {"n", 2400},
                      {"columns", 60},
                      {"layout",
                       {{"input", {{"item", -61}, {"sequence", 1}, {"first", 39 * 61}}},
                        {"output", {{"item", 1}, {"sequence", -41}, {"first", 59 * 41}}}}}};
  const Json config = result("space", {{"request", asked}, {"configs", false}})["default_config"];
  EXPECT_EQ(config["family"], "copy_strided");
  EXPECT_GE(result("verify", {{"request", asked}, {"config", config}})["checks"], 4);
  const Json measured =
      result("measure", {{"request", asked}, {"configs", {config}}, {"policy", {{"rounds", 1}, {"min_round_ms", 0}}}});
  EXPECT_GT(measured["measurements"][0].value("median_us", 0.0), 0) << measured;
}

// The kernel for aligned pointers would be refused by the device.
TEST_F(WorkerOnHost, MeasuresArraysBehindABoundaryByTheKernelForThem) {
  for (const char* algorithm : {"scan", "reduce", "select", "sort"}) {
    const Json asked = {{"algorithm", algorithm}, {"input_type", "i32"}, {"n", 3000}};
    const Json config = result("space", {{"request", asked}, {"configs", false}})["default_config"];
    const auto compiled = [&](int offset) {
      return result("compile",
                    {{"request", asked}, {"config", config}, {"measured_only", true}, {"offset", offset}})["key"];
    };
    EXPECT_NE(compiled(1), compiled(0)) << algorithm;
    EXPECT_EQ(compiled(4), compiled(0)) << algorithm;
    const Json measured = result(
        "measure",
        {{"request", asked}, {"configs", {config}}, {"policy", {{"rounds", 1}, {"min_round_ms", 0}}}, {"offset", 1}});
    EXPECT_GT(measured["measurements"][0].value("median_us", 0.0), 0) << measured;
  }
}

// The kernel for aligned pointers, whose vectors of 16 bytes the device refuses elsewhere, shows where the arrays lie.
TEST_F(WorkerOnHost, MeasuresArraysAsFarBehindABoundaryAsItSays) {
  const ScanRequest request{.n = 3000};
  const PreparedConfig aligned(*host_device(), request, default_config(request, kHostSm), Variant::aligned);
  const PreparedConfig* const configs[] = {&aligned};
  Measurer measurer(*host_device());
  for (const u64 offset : {0, 1, 4, 3, 8}) {
    SCOPED_TRACE(offset);
    const auto outcome = measurer.measure(configs, {.rounds = 1, .min_round_ms = 0}, offset).configs[0];
    const auto* failure = std::get_if<MeasureFailure>(&outcome);
    const std::string message = failure == nullptr ? "" : failure->message;
    EXPECT_EQ(message.empty(), offset % 4 == 0) << message;
    EXPECT_EQ(message.find("misaligned") == std::string::npos, offset % 4 == 0) << message;
  }
}

TEST_F(WorkerOnHost, ShowsAMistakeInTheCallersOwnOperatorWithItsLine) {
  const Json asked = custom_request(
      "struct Value {\n  float factor, offset;\n};\nValue combine(Value, Value later) "
      "{\n  return latter;\n}\n");
  const Json config = result("space", {{"request", asked}})["default_config"];
  const Json answer = Json::parse(session_.respond(
      Json{{"id", 1}, {"method", "compile"}, {"params", {{"request", asked}, {"config", config}}}}.dump()));
  EXPECT_EQ(answer["error"]["kind"], "compile_error") << answer;
  EXPECT_NE(answer["error"]["message"].get<std::string>().find("operator.cu:5"), std::string::npos) << answer;
}

// The key of a binary holds the source alone, so the kernel of the first header would be served for the second.
TEST_F(WorkerOnHost, CompilesNoOperatorThatIncludesAHeaderWhichMayChange) {
  const std::filesystem::path header = std::filesystem::path(::testing::TempDir()) / "scantune-header.h";
  const Json asked = custom_request("#include \"" + header.string() + "\"\n" + kAffine);
  const Json config = result("space", {{"request", asked}})["default_config"];
  const Json compile = {{"id", 1}, {"method", "compile"}, {"params", {{"request", asked}, {"config", config}}}};
  for (const char* secret : {"secret_sum", "secret_product"}) {
    std::ofstream(header) << "#define " << secret << "\n#error " << secret << "\n";
    const Json answer = Json::parse(session_.respond(compile.dump()));
    EXPECT_EQ(answer["error"]["kind"], "compile_error") << answer;
    const std::string message = answer["error"]["message"];
    EXPECT_EQ(message.find("operator.cu:1: error: #include: sources cannot include files"), 0u) << message;
    EXPECT_EQ(message.find(secret), std::string::npos) << message;
  }
  std::filesystem::remove(header);
}

TEST_F(WorkerOnHost, IntroducesItselfAsHost) {
  const Json hello = result("hello", Json::object());
  EXPECT_EQ(hello["device"]["arch"], "host");
  EXPECT_GE(hello["device"]["sm_count"], 1);
}

TEST_F(WorkerOnHost, MeasuresIsolatedScans) {
  Json asked = request(ValueType::i32, 4096);
  asked["latency"] = "isolated";
  const Json config = result("space", {{"request", asked}})["default_config"];
  const Json measured =
      result("measure", {{"request", asked}, {"configs", {config}}, {"policy", {{"rounds", 2}, {"min_round_ms", 0}}}});
  EXPECT_GT(measured["measurements"][0]["median_us"], 0);
  EXPECT_EQ(measured["measurements"][0]["samples"], 2);
}

TEST_F(WorkerOnHost, MeasuresTheDefaultOfEveryFamilyBesideTheCopy) {
  const Json asked = request(ValueType::i32, 4096);
  Json configs = Json::array();
  for (const FamilyModel* family : scan_families())
    configs.push_back(to_json(family->default_config(stated_request(asked).request, kHostSm)));
  const Json measured = result("measure", {{"request", asked},
                                           {"configs", configs},
                                           {"policy", {{"rounds", 3}, {"min_round_ms", 0.5}, {"ceiling", true}}}});
  EXPECT_GT(measured["ceiling_us"], 0);
  for (const Json& measurement : measured["measurements"]) {
    EXPECT_GT(measurement["median_us"], 0);
    EXPECT_GE(measurement["spread"], 0);
    EXPECT_EQ(measurement["samples"], 3);
    EXPECT_TRUE(measurement["sm_clock_mhz"].is_null());
  }
}

TEST_F(WorkerOnHost, FindsInTheCacheWhatItHasCompiled) {
  const Json asked = request(ValueType::i32, 4096);
  const Config config = find_family("lookback")->default_config(stated_request(asked).request, kHostSm);
  const Json params = {{"request", asked}, {"config", to_json(config)}};
  const Json first = result("compile", params), second = result("compile", params);
  EXPECT_EQ(second["cached"], true);
  EXPECT_EQ(second["compile_ms"], 0.0);
  EXPECT_EQ(second["key"], first["key"]);
}

TEST(WorkerProgram, AnswersEveryLineAndEndsWithItsInput) {
  const Ran ran = run_worker("--device host --seed 3",
                             "{\"id\": 1, \"method\": \"hello\"}\nno request\n\n{\"id\": 2, \"method\": \"hello\"}");
  EXPECT_EQ(ran.code, 0);
  const std::vector<Json> lines = lines_of(ran.output);
  ASSERT_EQ(lines.size(), 3u) << ran.output;
  EXPECT_EQ(lines[0]["id"], 1);
  EXPECT_EQ(lines[1]["error"]["kind"], "bad_request");
  EXPECT_EQ(lines[2]["ok"], true);
}

TEST(WorkerProgram, EndsWhenItsAnswersCannotBeWritten) {
  EXPECT_EQ(run_worker("--device host", "no request\nno request\n", "> /dev/full").code, 1);
}

TEST(WorkerProgram, RefusesOptionsItDoesNotKnow) {
  for (const char* options :
       {"--colour", "--device", "--device gpu", "--device cuda:x", "--seed one", "--device host x"}) {
    const Ran ran = run_worker(options, "");
    EXPECT_EQ(ran.code, 2) << options;
    EXPECT_NE(ran.output.find("usage: scantune-worker"), std::string::npos) << ran.output;
  }
}

TEST(WorkerProgram, SaysWhatIsMissingWhereThereIsNoGpu) {
  const Ran ran = run_worker("--device cuda:63", "{\"id\": 1, \"method\": \"hello\"}\n");
  EXPECT_EQ(ran.code, 0);
  const std::vector<Json> lines = lines_of(ran.output);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["error"]["kind"], "device_error");
}

// Each kernel as documents print it first, and the family that does the same without the race.
TEST_F(WorkerOnHost, CatchesEveryRaceAndTellsTheScheduleThatShowsIt) {
  const Json races = result("races", {{"schedules", 40}})["races"];
  ASSERT_EQ(races.size(), exhibits().size());
  for (const Json& race : races) {
    EXPECT_GT(race["wrong"], 0) << race;
    EXPECT_EQ(race["wrong_of_family"], 0) << race;
    const Json& first = race["first"];
    EXPECT_TRUE(first["schedule"].get<std::string>().starts_with("seed " + first["seed"].dump() + " (")) << race;
    EXPECT_NE(first["fault"].get<std::string>().find("should be "), std::string::npos) << race;
    // The seed alone shows it again.
    const Json again = result("races", {{"schedules", 1}, {"seed", first["seed"]}})["races"];
    EXPECT_EQ(std::ranges::find(again, race["name"], [](const Json& one) { return one["name"]; })->at("first"), first);
  }
}

}  // namespace
}  // namespace scantune::worker_test
