#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "families_under_test.h"
#include "jit/binary_cache.h"
#include "jit_temporary_directory.h"
#include "measure/exhibits.h"
#include "select/layers.h"
#include "worker/session.h"
#include "worker_scanning_device.h"

namespace scantune {
namespace {

using testing::ScanningDevice;

class WorkerSession : public ::testing::Test {
 protected:
  Json ask(const std::string& line) {
    const std::string answer = session_.respond(line);
    EXPECT_EQ(answer.find('\n'), std::string::npos);
    return Json::parse(answer);
  }
  Json call(const std::string& method, const Json& params = Json::object()) {
    return ask(Json{{"id", 5}, {"method", method}, {"params", params}}.dump());
  }
  Json result(const std::string& method, const Json& params = Json::object()) {
    const Json answer = call(method, params);
    EXPECT_EQ(answer.value("ok", false), true) << answer;
    return answer.value("result", Json());
  }
  Json error(const std::string& method, const Json& params = Json::object()) {
    const Json answer = call(method, params);
    EXPECT_EQ(answer.value("ok", true), false) << answer;
    return answer.value("error", Json());
  }
  static Json request(u64 n = 2000) { return {{"input_type", "i32"}, {"n", n}}; }
  static Config lookback() { return find_family("lookback")->default_config(ScanRequest{.n = 2000}, 90); }

  std::shared_ptr<ScanningDevice> device_ = std::make_shared<ScanningDevice>();
  Session session_{[this] { return device_; }};
};

TEST_F(WorkerSession, AnswersWithTheIdOfTheRequest) {
  EXPECT_EQ(ask(R"({"id": 17, "method": "hello"})")["id"], 17);
  EXPECT_EQ(ask(R"({"id": "a", "method": "hello"})")["id"], "a");
  EXPECT_EQ(ask(R"({"id": 18, "method": "no such"})")["id"], 18);
  EXPECT_TRUE(ask(R"({"method": "hello"})")["id"].is_null());
}

TEST_F(WorkerSession, RefusesLinesThatAreNoRequestAndGoesOn) {
  const std::string lines[] = {"",
                               "{",
                               "null",
                               "17",
                               "[]",
                               "\xff\xfe",
                               "{}",
                               R"({"id": 1})",
                               R"({"id": 1, "method": 3})",
                               R"({"id": [[1]], "method": "hello"})",
                               R"({"id": 1, "method": "hello", "params": []})",
                               R"({"id": 1, "method": "\udc00"})",
                               std::string(300'000, '['),
                               R"({"id": 1, "method": "hello"} {"id": 2})",
                               std::string("{\0}", 3)};
  for (const std::string& line : lines) EXPECT_EQ(ask(line)["error"]["kind"], "bad_request") << line.substr(0, 60);
  EXPECT_TRUE(ask(R"({"id": 1, "method": "hello"})")["ok"]);
}

TEST_F(WorkerSession, RefusesParametersThatAreMissingUnknownOrOutOfRange) {
  const Json config = to_json(lookback());
  const std::pair<const char*, Json> table[] = {
      {"space", {{"n", 4}}},
      {"space", Json::object()},
      {"space", {{"request", 3}}},
      {"validate", {{"request", request()}}},
      {"validate", {{"request", request()}, {"config", {{"family", "no_such"}, {"parameters", Json::object()}}}}},
      {"verify", {{"request", request()}, {"config", config}, {"seed", "one"}}},
      {"verify", {{"request", request()}, {"config", config}, {"all_kinds", 1}}},
      {"compile", {{"request", request()}, {"config", config}, {"measured_only", "yes"}}},
      {"measure", {{"request", request()}, {"configs", Json::array()}}},
      {"measure", {{"request", request()}, {"configs", {config}}, {"samples", 2}}},
      {"measure", {{"request", request()}, {"configs", {config}}, {"policy", {{"rounds", 0}}}}},
      {"measure", {{"request", request()}, {"configs", {config}}, {"policy", {{"rounds", 1.5}}}}},
      {"measure", {{"request", request()}, {"configs", {config}}, {"policy", {{"min_round_ms", -1}}}}},
      {"measure", {{"request", request()}, {"configs", {config}}, {"policy", {{"slower_than", 0.5}}}}},
      {"measure", {{"request", request()}, {"configs", {config}}, {"policy", {{"loud", true}}}}},
      {"measure", {{"request", request()}, {"configs", {config}}, {"offset", 65}}},
      {"compile", {{"request", request()}, {"config", config}, {"offset", -1}}},
      {"races", {{"schedules", 0}}},
      {"races", {{"schedules", 1.5}}},
      {"races", {{"request", request()}}},
      {"select", {{"request", request()}, {"databases", "tuning.db"}}},
      {"select", {{"request", request()}, {"databases", {"/no/such/file.db"}}}},
  };
  for (const auto& [method, params] : table)
    EXPECT_EQ(error(method, params)["kind"], "bad_request") << method << " " << params;
}

TEST_F(WorkerSession, SaysWhichDeviceAndToolsItHas) {
  const Json hello = result("hello");
  EXPECT_EQ(hello["protocol"], 4);
  EXPECT_EQ(hello["device"]["arch"], "sm_90");
  EXPECT_EQ(hello["device"]["sm_count"], 4);
  EXPECT_EQ(hello["driver_version"], "1.0");
  EXPECT_EQ(hello["template_hash"].get<std::string>().size(), 64u);
  EXPECT_EQ(hello["families"].size(), families().size());
  const Json lookback = hello["families"][2];
  EXPECT_EQ(lookback["name"], "lookback");
  EXPECT_EQ(lookback["parameters"].size(), find_family("lookback")->parameters().size());
  EXPECT_EQ(lookback["parameters"][0], (Json{{"name", "block_threads"}}));
  EXPECT_EQ(lookback["parameters"][6], (Json{{"name", "first_delay_ns"}, {"absent_means", 0}}));
  EXPECT_EQ(lookback["former_values"], Json::array());
}

TEST_F(WorkerSession, SaysWhatTheMemoryMovesAtMostWhereThatIsKnown) {
  EXPECT_FALSE(result("hello")["device"].contains("peak_gigabytes_per_second"));
  device_->peak = peak_gigabytes_per_second(3'201'000, 6144);  // an H200
  EXPECT_DOUBLE_EQ(result("hello")["device"]["peak_gigabytes_per_second"], 4916.736);
  EXPECT_EQ(peak_gigabytes_per_second(0, 6144), std::nullopt);
  EXPECT_EQ(peak_gigabytes_per_second(3'201'000, 0), std::nullopt);
}

TEST_F(WorkerSession, RunsKernelsWithARaceOnTheHostDeviceAlone) {
  EXPECT_EQ(error("races")["kind"], "unsupported");
  EXPECT_EQ(device_->compiler().sources, std::vector<std::string>{});
}

// They would be selected, tuned or timed by these.
TEST_F(WorkerSession, HasNoFamilyOfAKernelWithARace) {
  for (const Exhibit& exhibit : exhibits()) {
    EXPECT_EQ(find_family(exhibit.name), nullptr) << exhibit.name;
    for (const FamilyModel* family : families()) {
      EXPECT_STRNE(family->header(), "gallery/races.h");
      EXPECT_EQ(std::ranges::count(family->kernels(), std::string_view(exhibit.name)), 0) << family->name();
    }
  }
}

TEST_F(WorkerSession, SaysThatThereIsNoDeviceAndLooksAgainLater) {
  bool present = false;
  Session session([&]() -> std::shared_ptr<Device> {
    if (!present) throw DeviceError("no CUDA device is visible");
    return device_;
  });
  const Json answer = Json::parse(session.respond(R"({"id": 1, "method": "hello"})"));
  EXPECT_EQ(answer["error"]["kind"], "device_error");
  EXPECT_EQ(answer["error"]["message"], "no CUDA device is visible");
  present = true;
  EXPECT_TRUE(Json::parse(session.respond(R"({"id": 1, "method": "hello"})"))["ok"]);
}

TEST_F(WorkerSession, SelectsForADeviceThatIsOnlyDescribed) {
  bool opened = false;
  Session session([&]() -> std::shared_ptr<Device> {
    opened = true;
    throw DeviceError("no CUDA device is visible");
  });
  const auto ask = [&](const char* method, const Json& params) {
    return Json::parse(session.respond(Json{{"id", 1}, {"method", method}, {"params", params}}.dump()));
  };
  const Json h200 = {{"arch", "sm_90"}, {"name", "NVIDIA H200"}, {"sm_count", 132}};
  EXPECT_EQ(ask("hello", {{"device", h200}})["result"]["device"], h200);
  const Json selected = ask("select", {{"request", request(1 << 14)}, {"databases", Json::array()}});
  EXPECT_EQ(selected["result"]["origin"], "built_in") << selected;
  EXPECT_EQ(selected["result"]["record"]["layer"], "built_in") << selected;
  EXPECT_TRUE(selected["result"]["record"]["origin"].is_null()) << selected;
  ASSERT_EQ(selected["result"]["record"]["serves"].size(), 2u) << selected;
  EXPECT_LT(selected["result"]["record"]["serves"][0], 1 << 14) << selected;
  EXPECT_GE(selected["result"]["record"]["serves"][1], 1 << 14) << selected;
  EXPECT_FALSE(selected["result"].contains("runner_up")) << selected;
  const Json with_next =
      ask("select", {{"request", request(1 << 14)}, {"databases", Json::array()}, {"runner_up", true}})["result"];
  EXPECT_EQ(with_next["config"], selected["result"]["config"]);
  EXPECT_NE(with_next["runner_up"]["config"], with_next["config"]) << with_next;
  EXPECT_EQ(with_next["record"]["n"], 1 << 14);
  EXPECT_GT(with_next["record"]["median_us"], 0);
  EXPECT_TRUE(ask("space", {{"request", request()}, {"configs", false}})["ok"]);
  const Json config = to_json(lookback());
  for (const char* method : {"compile", "verify"}) {
    const Json refused = ask(method, {{"request", request()}, {"config", config}});
    EXPECT_EQ(refused["error"]["kind"], "unsupported") << refused;
    EXPECT_NE(refused["error"]["message"].get<std::string>().find("NVIDIA H200 (sm_90) is described"),
              std::string::npos);
    EXPECT_FALSE(refused["error"].contains("fatal"));
  }
  const Json measured = ask("measure", {{"request", request()}, {"configs", {config}}});
  EXPECT_EQ(measured["result"]["measurements"][0]["error"]["kind"], "unsupported") << measured;
  EXPECT_FALSE(opened);
}

TEST_F(WorkerSession, RefusesADeviceThatIsDescribedWrongly) {
  const Json wrong[] = {
      "NVIDIA H200",
      {{"arch", "sm_90"}, {"name", "NVIDIA H200"}},
      {{"arch", "sm90"}, {"name", "NVIDIA H200"}, {"sm_count", 132}},
      {{"arch", "sm_90"}, {"name", ""}, {"sm_count", 132}},
      {{"arch", "sm_90"}, {"name", "NVIDIA H200"}, {"sm_count", 0}},
      {{"arch", "sm_90"}, {"name", "NVIDIA H200"}, {"sm_count", 1.5}},
      {{"arch", "sm_90"}, {"name", "NVIDIA H200"}, {"sm_count", 132}, {"clock", 1}},
  };
  for (const Json& device : wrong) EXPECT_EQ(error("hello", {{"device", device}})["kind"], "bad_request") << device;
  EXPECT_EQ(result("hello")["device"]["sm_count"], 4);
}

TEST_F(WorkerSession, ListsTheRecordsThatComeWithTheLibrary) {
  const Json records = result("built_in")["records"];
  ASSERT_EQ(records.size(), built_in_records().size());
  EXPECT_EQ(records[0]["device_name"], "NVIDIA H200");
  EXPECT_TRUE(records[0].contains("config"));
  EXPECT_EQ(error("built_in", {{"device", 1}})["kind"], "bad_request");
}

TEST_F(WorkerSession, ShowsAndEvictsTheKernelCache) {
  const TemporaryDirectory root;
  setenv("SCANTUNE_CACHE", root.path().c_str(), 1);
  BinaryCache(root.path()).store(std::string(64, 'a'), {std::vector<char>(1000, 'x'), "NVRTC 13.0", "", 1});
  const Json shown = result("cache");
  EXPECT_EQ(shown["directory"], root.path().string());
  EXPECT_EQ(shown["kernels"], 1);
  EXPECT_GT(shown["bytes"], 1000);
  EXPECT_TRUE(shown["least_recent_use"].is_number());
  const Json evicted = result("cache", {{"most_bytes", 0}});
  EXPECT_EQ(evicted["removed_kernels"], 1);
  EXPECT_EQ(evicted["removed_bytes"], shown["bytes"]);
  EXPECT_EQ(evicted["kernels"], 0);
  EXPECT_TRUE(evicted["least_recent_use"].is_null());
  EXPECT_EQ(error("cache", {{"most_bytes", -1}})["kind"], "bad_request");
  setenv("SCANTUNE_CACHE", "", 1);
  EXPECT_TRUE(result("cache", {{"most_bytes", 0}})["directory"].is_null());
  unsetenv("SCANTUNE_CACHE");
}

TEST_F(WorkerSession, TellsTheDefaultsOfTheFamiliesWithoutTheirConfigs) {
  const Json space = result("space", {{"request", request()}});
  const Json told = result("space", {{"request", request()}, {"configs", false}});
  ASSERT_EQ(told["families"].size(), space["families"].size());
  for (std::size_t index = 0; index < space["families"].size(); ++index) {
    EXPECT_EQ(told["families"][index]["default"], space["families"][index]["default"]);
    EXPECT_EQ(told["families"][index]["configs"], Json::array());
  }
  EXPECT_EQ(told["default_config"], space["default_config"]);
  EXPECT_EQ(error("space", {{"request", request()}, {"configs", 0}})["kind"], "bad_request");
}

TEST_F(WorkerSession, ListsTheGalleryWhereItIsAskedForAndSaysWhatItLeavesOut) {
  const Json library = result("space", {{"request", request()}});
  const Json all = result("space", {{"request", request()}, {"gallery", true}, {"configs", false}});
  EXPECT_FALSE(library.contains("refused"));
  EXPECT_EQ(all["families"].size() + all["refused"].size(), algorithm_of<ScanRequest>().families().size());
  EXPECT_GT(all["families"].size(), library["families"].size());
  EXPECT_EQ(all["default_config"], library["default_config"]);
  const FamilyModel& rows = *find_family("scan_rows");
  EXPECT_EQ(all["refused"]["scan_rows"], rows.unsupported_reason(stated_request(request()).request, 90));
}

TEST_F(WorkerSession, TellsWhatAConfigOfTheGalleryCosts) {
  Json few = request();
  few["n"] = 256;
  const Json config = {{"family", "kogge_stone"}, {"parameters", {{"block_threads", 256}}}};
  const Json valid = result("validate", {{"request", few}, {"config", config}});
  EXPECT_EQ(valid["work"], (Json{{"operations", 1793}, {"steps", 8}, {"bytes", 2048}}));
  const Json of_library = result("space", {{"request", few}})["default_config"];
  EXPECT_FALSE(result("validate", {{"request", few}, {"config", of_library}}).contains("work"));
}

TEST_F(WorkerSession, ListsLegalConfigsOnlyAsIndicesIntoTheValues) {
  const Json space = result("space", {{"request", request()}});
  EXPECT_EQ(space["families"].size(), scan_families().size());
  for (const Json& family : space["families"]) {
    ASSERT_GT(family["configs"].size(), 10u);
    for (const Json& indices : family["configs"]) {
      Json parameters = Json::object();
      for (std::size_t index = 0; index < indices.size(); ++index) {
        const Json& parameter = family["parameters"][index];
        parameters[parameter["name"].get<std::string>()] = parameter["values"].at(indices[index].get<std::size_t>());
      }
      const Config config = config_from_json({{"family", family["name"]}, {"parameters", parameters}});
      ASSERT_EQ(reject_reason(config, stated_request(request()).request, 90), nullptr) << to_string(config);
    }
    EXPECT_NO_THROW(config_from_json(family["default"]));
  }
  EXPECT_EQ(config_from_json(space["default_config"]), default_config(stated_request(request()).request, 90));
}

TEST_F(WorkerSession, LeavesFamiliesOutThatCannotSolveTheProblem) {
  for (const Json& family : result("space", {{"request", request(u64{1} << 24)}})["families"])
    EXPECT_NE(family["name"], "single_block");
}

TEST_F(WorkerSession, SaysThatNoFamilySolvesAProblem) {
  EXPECT_EQ(error("space", {{"request", {{"input_type", "bf16"}, {"accumulator_type", "bf16"}, {"n", 4}}}})["kind"],
            "unsupported");
}

TEST_F(WorkerSession, SaysWhatARequestMaySay) {
  const Json algorithms = result("hello")["algorithms"];
  ASSERT_EQ(algorithms.size(), 7u);
  EXPECT_EQ(algorithms[0]["name"], "scan");
  ASSERT_EQ(algorithms[0]["extents"].size(), 3u);
  EXPECT_EQ(algorithms[0]["extents"][0]["name"], "rows");
  EXPECT_EQ(algorithms[0]["extents"][0]["where"], Json::parse(R"({"segments": "rows"})"));
  EXPECT_EQ(algorithms[0]["extents"][1]["name"], "columns");
  EXPECT_EQ(algorithms[0]["extents"][1]["where"], Json::parse(R"({"segments": "columns"})"));
  EXPECT_EQ(algorithms[0]["extents"][2]["name"], "segment_count");
  EXPECT_EQ(algorithms[0]["extents"][2]["where"], Json::parse(R"({"segments": "offsets"})"));
  EXPECT_EQ(algorithms[0]["operands"][1],
            Json::parse(R"({"name": "output", "role": "output", "type": "output_type", "extent": "n"})"));
  EXPECT_EQ(algorithms[1]["name"], "reduce");
  EXPECT_EQ(algorithms[2]["name"], "copy");
  EXPECT_EQ(algorithms[3]["name"], "select");
  EXPECT_EQ(algorithms[3]["operands"][2],
            Json::parse(R"({"name": "count", "role": "count", "type": "u64", "extent": "one"})"));
  EXPECT_EQ(algorithms[4]["name"], "load_balance");
  EXPECT_EQ(algorithms[4]["extents"][0]["name"], "segments");
  EXPECT_EQ(algorithms[4]["operands"][0],
            Json::parse(R"({"name": "offsets", "role": "input", "type": "input_type", "extent": "segments"})"));
  EXPECT_EQ(algorithms[5]["name"], "sort");
  ASSERT_EQ(algorithms[5]["extents"].size(), 4u);
  EXPECT_EQ(algorithms[5]["extents"][1]["where"], Json::parse(R"({"segments": "offsets"})"));
  EXPECT_EQ(algorithms[5]["extents"][3]["where"], Json::parse(R"({"key_bits": "some"})"));
  EXPECT_EQ(algorithms[6]["name"], "top_k");
  EXPECT_EQ(algorithms[6]["extents"][0]["stored_as"], "row_items");
  EXPECT_EQ(algorithms[6]["operands"][1],
            Json::parse(R"({"name": "output", "role": "output", "type": "input_type", "extent": "k"})"));
  std::map<std::string, Json> members;
  for (const Json& member : algorithms[0]["members"]) members[member["name"]] = member;
  EXPECT_EQ(members.size(), 23u);
  EXPECT_EQ(members["input_type"]["values"].size(), 13u);
  EXPECT_EQ(members["input_type"]["values"].back(), "custom");
  EXPECT_EQ(members["input_type"]["default"], nullptr);
  EXPECT_EQ(members["op"]["values"].back(), "custom_expensive");
  EXPECT_EQ(members["op"]["is_option"], false);
  EXPECT_EQ(members["latency"]["values"], (Json{"back_to_back", "isolated"}));
  EXPECT_EQ(members["latency"]["match"], "exact");
  EXPECT_EQ(members["latency"]["default"], "back_to_back");
  EXPECT_EQ(members["latency"]["is_option"], true);
}

TEST_F(WorkerSession, TakesNoMaps) {
  for (const char* member : {"load", "store"}) {
    const Json refused = error("space", {{"request", {{"input_type", "i32"}, {member, "indexed"}, {"n", 4}}}});
    EXPECT_EQ(refused["kind"], "bad_request");
    EXPECT_NE(refused["message"].get<std::string>().find(std::string("request.") + member + " is indexed: maps come"),
              std::string::npos)
        << refused;
  }
}

TEST_F(WorkerSession, SpellsTheProblemAsADatabaseKeepsIt) {
  const auto problem = [&](const Json& request) { return result("space", {{"request", request}})["problem"]; };
  EXPECT_EQ(problem({{"input_type", "i8"}, {"op", "sum"}, {"latency", "back_to_back"}, {"n", 7}}),
            R"({"input_type":"i8","accumulator_type":"i32","output_type":"i8"})");
  EXPECT_EQ(problem({{"determinism", "run_to_run"}, {"kind", "exclusive"}, {"input_type", "f32"}, {"n", 9}}),
            R"({"input_type":"f32","accumulator_type":"f32","output_type":"f32","kind":"exclusive",)"
            R"("determinism":"run_to_run"})");
  EXPECT_EQ(problem({{"input_type", "custom8"}, {"op", "custom_cheap"}, {"n", 7}, {"operator", {{"name", "affine"}}}}),
            R"({"input_type":"custom8","accumulator_type":"custom8","output_type":"custom8",)"
            R"("op":"custom_cheap:affine"})");
}

TEST_F(WorkerSession, SpellsOutTheRequestThatItUnderstood) {
  EXPECT_EQ(
      result("space", {{"request", {{"input_type", "i8"}, {"output_type", "i64"}, {"n", 7}}}})["request"],
      Json::parse(
          R"({"algorithm": "scan", "input_type": "i8", "accumulator_type": "i64", "output_type": "i64", "op": "sum",
                            "kind": "inclusive", "init": "none", "direction": "forward", "n_source": "call", "segments": "none", "keys": "bytes_4", "equality": "built_in", "results": "all",
                            "determinism": "unconstrained", "forward_progress": "in_order", "latency": "back_to_back", "load": "none", "store": "none",
                            "n_width": "bits_64", "count_width": "bits_64", "room": "for_all", "offset_type": "i32", "offset_form": "bounds",
                            "count_source": "call", "n": 7})"));
  const Json custom = {{"input_type", "custom12"},
                       {"op", "custom_cheap"},
                       {"n", 7},
                       {"operator", {{"name", "affine"}, {"source", "struct Value {};"}}}};
  const Json resolved = result("space", {{"request", custom}})["request"];
  EXPECT_EQ(resolved["accumulator_type"], "custom12");
  EXPECT_EQ(resolved["operator"], (Json{{"name", "affine"}, {"source", "struct Value {};"}, {"alignment", 4}}));
  EXPECT_EQ(result("space", {{"request", resolved}})["request"], resolved);
}

class WorkerSessionWithACustomOperator : public WorkerSession {
 protected:
  static Json custom(Json op = nullptr) {
    Json request = {{"input_type", "custom8"}, {"op", "custom_moderate"}, {"n", 2000}};
    if (!op.is_null()) request["operator"] = std::move(op);
    return request;
  }
  static Json affine() { return {{"name", "affine"}, {"source", kSource}, {"alignment", 4}}; }
  static Json config(const Json& request) {
    return to_json(find_family("lookback")->default_config(stated_request(request).request, 90));
  }
  std::size_t sources_with(std::string_view text) {
    const auto& sources = device_->compiler().sources;
    return static_cast<std::size_t>(std::ranges::count_if(
        sources, [&](const std::string& source) { return source.find(text) != std::string::npos; }));
  }

  static constexpr const char* kSource = "struct Value { float a, b; };\nValue combine(Value, Value);\n";
};

TEST_F(WorkerSessionWithACustomOperator, VerifiesAndMeasuresTheStandInWhereNoSourceIsGiven) {
  const Json request = custom();
  EXPECT_GT(result("verify", {{"request", request}, {"config", config(request)}})["checks"], 30);
  result("measure", {{"request", request}, {"configs", {config(request)}}, {"policy", {{"rounds", 1}}}});
  EXPECT_EQ(sources_with("stand_in::custom_moderate(earlier.units"), device_->compiler().sources.size());
}

TEST_F(WorkerSessionWithACustomOperator, MeasuresTheCallersOwnWhereItsSourceIsGiven) {
  const Json request = custom(affine());
  const Json configs = {config(request)};
  const Json answer = result("measure", {{"request", request}, {"configs", configs}, {"policy", {{"rounds", 1}}}});
  EXPECT_EQ(answer["measurements"][0]["samples"], 1);
  EXPECT_EQ(sources_with(kSource), 1u);
  EXPECT_EQ(device_->compiler().sources.size(), 1u);
}

TEST_F(WorkerSessionWithACustomOperator, CompilesBothTheCallersOwnAndTheStandIn) {
  const Json request = custom(affine());
  const Json params = {{"request", request}, {"config", config(request)}};
  result("compile", params);
  EXPECT_EQ(sources_with(kSource), 2u);
  const auto& sources = device_->compiler().sources;
  std::set<std::string> ahead(sources.begin(), sources.end());
  EXPECT_EQ(ahead.size(), 7u);
  EXPECT_GT(result("verify", params)["checks"], 30);
  EXPECT_EQ(std::set<std::string>(sources.begin(), sources.end()), ahead);
}

TEST_F(WorkerSessionWithACustomOperator, GivesTheCompilersComplaintAboutTheCallersSource) {
  device_->compiler().refuses = [](const std::string& source) { return source.find(kSource) != std::string::npos; };
  const Json request = custom(affine());
  const Json params = {{"request", request}, {"config", config(request)}};
  for (const char* method : {"compile", "verify"}) EXPECT_EQ(error(method, params)["kind"], "compile_error");
}

TEST_F(WorkerSessionWithACustomOperator, RefusesWhatIsNoneAndSaysWhy) {
  const std::pair<Json, const char*> table[] = {
      {custom(3), "request.operator must be a JSON object"},
      {custom({{"colour", "red"}}), "unknown member \"colour\""},
      {custom({{"name", ""}}), "request.operator.name must be 1 to 64 letters"},
      {custom({{"name", std::string(65, 'x')}}), "request.operator.name must be"},
      {custom({{"name", "a:b"}}), "found \"a:b\""},
      {custom({{"name", 7}}), "request.operator.name must be 1 to 64 letters"},
      {custom({{"source", ""}}), "request.operator.source is empty"},
      {custom({{"source", {1}}}), "request.operator.source must be a text"},
      {custom({{"alignment", 3}}), "request.operator.alignment must be 1, 2, 4, 8 or 16; found 3"},
      {custom({{"alignment", 32}}), "found 32"},
      {custom({{"alignment", 4.0}}), "found 4.0"},
      {custom({{"alignment", true}}), "found true"},
      {custom({{"alignment", 18446744073709551615u}}), "found 18446744073709551615"},
      {{{"input_type", "i32"}, {"n", 1}, {"operator", Json::object()}}, "request.op is sum"},
      {{{"input_type", "i32"}, {"op", "custom_cheap"}, {"n", 1}, {"operator", {{"alignment", 4}}}},
       "has no custom type"},
      {{{"input_type", "custom33"}, {"op", "custom_cheap"}, {"n", 1}}, "found \"custom33\""},
      {{{"input_type", "custom0"}, {"op", "custom_cheap"}, {"n", 1}}, "custom1 to custom32; found \"custom0\""},
      {{{"input_type", "custom"}, {"op", "custom_cheap"}, {"n", 1}}, "found \"custom\""},
      {{{"input_type", "custom8"}, {"output_type", "custom12"}, {"op", "custom_cheap"}, {"n", 1}}, "one custom type"},
      {{{"input_type", "custom8"}, {"op", "custom_moderate:"}, {"n", 1}}, "request.op must be one of"},
      {{{"input_type", "custom8"}, {"op", "custom_cheap:one"}, {"n", 1}, {"operator", {{"name", "other"}}}},
       "request.op names one"}};
  for (const auto& [request, said] : table) {
    const Json refused = error("space", {{"request", request}});
    EXPECT_EQ(refused["kind"], "bad_request") << request;
    EXPECT_NE(refused.value("message", "").find(said), std::string::npos) << request << refused;
  }
}

TEST_F(WorkerSession, ValidatesAndGivesTheReason) {
  Json config = to_json(lookback());
  EXPECT_EQ(result("validate", {{"request", request()}, {"config", config}}), (Json{{"valid", true}}));
  config["parameters"]["block_threads"] = 100;
  const Json answer = result("validate", {{"request", request()}, {"config", config}});
  EXPECT_EQ(answer["valid"], false);
  EXPECT_EQ(answer["reason"], "block_threads must be a multiple of 32 up to 1024");
}

TEST_F(WorkerSession, CompilesEveryKernelThatVerifyRuns) {
  const Json params = {{"request", request()}, {"config", to_json(lookback())}};
  const Json compiled = result("compile", params);
  EXPECT_EQ(compiled["key"].get<std::string>().size(), 64u);
  EXPECT_EQ(compiled["cached"], false);
  EXPECT_EQ(compiled["compile_ms"], 10.0);
  const auto& sources = device_->compiler().sources;
  std::set<std::string> ahead(sources.begin(), sources.end());
  result("verify", params);
  EXPECT_EQ(std::set<std::string>(sources.begin(), sources.end()), ahead);
}

TEST_F(WorkerSession, NamesTheCompilersComplaint) {
  device_->compiler().refuses = [](const std::string&) { return true; };
  const Json params = {{"request", request()}, {"config", to_json(lookback())}};
  for (const char* method : {"compile", "verify"}) {
    const Json complaint = error(method, params);
    EXPECT_EQ(complaint["kind"], "compile_error");
    EXPECT_NE(complaint["message"].get<std::string>().find("does not compile"), std::string::npos);
  }
}

TEST_F(WorkerSession, VerifiesAndReportsWrongResults) {
  const Json params = {{"request", request()}, {"config", to_json(lookback())}, {"seed", 4}};
  EXPECT_GT(result("verify", params)["checks"], 30);
  device_->mistake = [](const testing::Scanned& scanned) { scanned.flip(scanned.request.n / 2); };
  const Json wrong = error("verify", params);
  EXPECT_EQ(wrong["kind"], "wrong_result");
  EXPECT_NE(wrong["message"].get<std::string>().find("seed 4"), std::string::npos);
}

TEST_F(WorkerSession, RefusesAnIllegalConfigWhateverIsAskedOfIt) {
  for (const FamilyModel* family : scan_families()) {
    for (const ParameterModel& parameter : family->parameters()) {
      Json config = to_json(family->default_config(stated_request(request()).request, 90));
      if (parameter.tokens != nullptr) continue;
      for (const int value : {0, -1, 1 << 30}) {
        config["parameters"][parameter.name] = value;
        const Json params = {{"request", request()}, {"config", config}};
        if (result("validate", params)["valid"] == true) continue;
        EXPECT_EQ(error("verify", params)["kind"], "unsupported") << config;
        EXPECT_EQ(error("compile", params)["kind"], "unsupported") << config;
      }
    }
  }
}

TEST_F(WorkerSession, MeasuresInTheOrderOfTheConfigsAndKeepsErrorsInTheirPlaces) {
  Json illegal = to_json(lookback());
  illegal["parameters"]["block_threads"] = 100;
  const Json answer = result("measure", {{"request", request()},
                                         {"configs", {to_json(lookback()), illegal, to_json(lookback())}},
                                         {"policy", {{"rounds", 2}, {"min_round_ms", 0}}}});
  ASSERT_EQ(answer["measurements"].size(), 3u);
  EXPECT_EQ(answer["measurements"][0]["median_us"], 10.0);
  EXPECT_EQ(answer["measurements"][1]["error"]["kind"], "unsupported");
  EXPECT_EQ(answer["measurements"][2]["samples"], 2);
  EXPECT_TRUE(answer["ceiling_us"].is_null());
}

TEST_F(WorkerSession, TellsEachSampleOnlyWhereItIsAskedTo) {
  Json params = {
      {"request", request()}, {"configs", {to_json(lookback())}}, {"policy", {{"rounds", 3}, {"min_round_ms", 0}}}};
  EXPECT_FALSE(result("measure", params)["measurements"][0].contains("samples_us"));
  params["samples"] = true;
  EXPECT_EQ(result("measure", params)["measurements"][0]["samples_us"], Json({10.0, 10.0, 10.0}));
}

TEST_F(WorkerSession, CompilesNoMoreThanWhatIsMeasuredIfThatIsAllThatIsWanted) {
  const Json params = {{"request", request()}, {"config", to_json(lookback())}, {"measured_only", true}};
  result("compile", params);
  const auto& sources = device_->compiler().sources;
  ASSERT_EQ(sources.size(), 1u);
  const std::string ahead = sources.front();
  result("measure", {{"request", request()}, {"configs", {to_json(lookback())}}});
  EXPECT_TRUE(std::ranges::all_of(sources, [&](const std::string& source) { return source == ahead; }));
}

TEST_F(WorkerSession, SaysThatItMustBeReplacedOnceTheDeviceIsLost) {
  device_->mistake = [this](const testing::Scanned&) { device_->lost = "an illegal address was accessed"; };
  const Json params = {{"request", request()}, {"configs", {to_json(lookback())}}};
  const Json failed = result("measure", params)["measurements"][0]["error"];
  EXPECT_EQ(failed["kind"], "launch_error");
  EXPECT_EQ(failed["fatal"], true);
  const Json after = error("verify", {{"request", request()}, {"config", to_json(lookback())}});
  EXPECT_EQ(after["kind"], "launch_error");
  EXPECT_EQ(after["fatal"], true);
}

TEST_F(WorkerSession, CallsShortMemoryADeviceErrorThatItSurvives) {
  device_->memory_bytes = 1000;
  const Json short_of_memory = error("verify", {{"request", request()}, {"config", to_json(lookback())}});
  EXPECT_EQ(short_of_memory["kind"], "device_error");
  EXPECT_FALSE(short_of_memory.contains("fatal"));
}

TEST_F(WorkerSession, CallsWhatItCannotTimeIsolatedScansWithADeviceError) {
  device_->compiler().refuses = [](const std::string& source) { return source.find("ordinary") != std::string::npos; };
  Json asked = request();
  asked["latency"] = "isolated";
  const Json failed = error("measure", {{"request", asked}, {"configs", {to_json(lookback())}}});
  EXPECT_EQ(failed["kind"], "device_error");
  EXPECT_NE(failed["message"].get<std::string>().find("does not compile"), std::string::npos) << failed;
}

TEST_F(WorkerSession, CallsAnIsolatedScanThatTakesNoTimeADeviceError) {
  device_->microseconds = [](int) { return 10.0; };
  Json asked = request();
  asked["latency"] = "isolated";
  const Json measured = result("measure", {{"request", asked}, {"configs", {to_json(lookback())}}});
  EXPECT_EQ(measured["measurements"][0]["error"]["kind"], "device_error") << measured;
}

TEST_F(WorkerSession, MakesRoomForVerifyingAfterMeasuring) {
  const Json config = to_json(lookback());
  device_->total_bytes = 80 << 20;
  result("measure",
         {{"request", request(1 << 16)}, {"configs", {config}}, {"policy", {{"rounds", 1}, {"min_round_ms", 0}}}});
  device_->total_bytes = device_->allocated_bytes() + (1 << 18);
  EXPECT_GT(result("verify", {{"request", request(1 << 16)}, {"config", config}, {"all_kinds", false}})["checks"], 20);
}

TEST_F(WorkerSession, SelectsTheDefaultWhereNothingIsRecorded) {
  // The request is for a struct, since the library has records of the types that it knows.
  const Json request = {{"input_type", "custom12"}, {"op", "custom_cheap"}, {"n", 1 << 16}};
  const Json selected = result("select", {{"request", request}, {"databases", Json::array()}});
  EXPECT_EQ(selected["origin"], "default");
  EXPECT_TRUE(selected["record"].is_null());
  EXPECT_EQ(config_from_json(selected["config"]), default_config(stated_request(request).request, 90));
  EXPECT_FALSE(selected["reason"].get<std::string>().empty());
}

TEST_F(WorkerSession, SurvivesRandomChangesToARequest) {
  const std::string right =
      Json{{"id", 1}, {"method", "validate"}, {"params", {{"request", request()}, {"config", to_json(lookback())}}}}
          .dump();
  u64 state = 88172645463325252u;
  const auto random = [&](u64 below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<std::size_t>(state % below);
  };
  for (int round = 0; round < 5000; ++round) {
    std::string line = right;
    for (std::size_t change = random(4) + 1; change-- > 0;) {
      const std::size_t place = random(line.size());
      if (random(2) == 0)
        line[place] = static_cast<char>(random(256));
      else
        line.erase(place, random(8) + 1);
    }
    const Json answer = ask(line);
    ASSERT_TRUE(answer["ok"] == true || answer["error"]["kind"] == "bad_request") << line << answer;
  }
}

}  // namespace
}  // namespace scantune
