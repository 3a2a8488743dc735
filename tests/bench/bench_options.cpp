#include "bench_options.h"

#include "cub_libraries.h"
#include "draws.h"
#include "space/space.h"

namespace scantune::bench {
namespace {

constexpr const char* kUsage =
    "usage: cub_bench [OPTION VALUE]...\n"
    "  --algorithm   scan or reduce; default: scan\n"
    "  --types       value types: i32,i8:i32,... (i8:i32 scans i8 into i32); default: all that are built\n"
    "  --ops         sum,min,max; default: sum\n"
    "  --kinds       inclusive,exclusive; default: inclusive; of scans only\n"
    "  --positions   none,first; first: also where the minimum or maximum stands; default: none; of reductions only\n"
    "  --sizes       exponents of 2: 8,10,... or 8-30, in steps of 2; '=N' is N items; default: 8-30, and 32 for scans "
    "of "
    "i8\n"
    "  --conditions  cold,hot,cold_isolated,hot_isolated; default: all\n"
    "  --latency     what scantune's config is to be chosen for: back_to_back or isolated; default: back_to_back\n"
    "  --graph-ms    how long the timed replays of each graph last, about; default: 30; of draws 10, and ten times "
    "that at a second look\n"
    "  --draws       so many seeded draws over types, operators, kinds or positions, sizes and alignments, cold, "
    "instead;\n"
    "                not with --sizes and --conditions\n"
    "  --seed        of the draws; default: 1; with --draws only\n"
    "  --range       exponents of the least and the greatest size drawn; default: 20-28; with --draws only\n";
constexpr const char* kTableTypes = "i8,i16,i32,i64,u8,u16,u32,u64,f16,bf16,f32,f64";
constexpr const char* kWideTypes = ",i8:i32,u8:u32,i32:i64,f16:f32";
constexpr const char* kSizes = "8-30";
constexpr u64 kLargestOfI8 = u64{1} << 32;
constexpr u64 kMostDraws = 100'000;
constexpr u64 kMostGraphMs = 10'000;

template <class Enum>
std::vector<Enum> parse_tokens(const CommandLine& line, const std::string& text) {
  std::vector<Enum> values;
  for (const std::string& name : split(text, ',')) {
    const auto value = parse_token<Enum>(name);
    if (!value) line.fail("'" + name + "' is unknown");
    values.push_back(*value);
  }
  return values;
}

// The request of one type, or of two, "i8:i32".
template <class Typed>
Typed request_of(const CommandLine& line, const std::string& types) {
  const std::vector<std::string> sides = split(types, ':');
  const auto input = parse_token<ValueType>(sides.front()), output = parse_token<ValueType>(sides.back());
  if (!input || !output || sides.size() > 2) line.fail("'" + types + "' is no type");
  return {.input_type = *input, .accumulator_type = default_accumulator(*input, *output), .output_type = *output};
}

// What is compared where the command line does not say.
struct Defaults {
  std::string types, ops, kinds, positions;
};

// Every combination of what the command line names, whether CUB has been built for it or not.
std::vector<Request> take_scans(CommandLine& line, const Defaults& defaults) {
  line.refuse("--positions", "goes with --algorithm reduce only");
  const auto ops = parse_tokens<Operator>(line, line.take("--ops", defaults.ops));
  const auto kinds = parse_tokens<Kind>(line, line.take("--kinds", defaults.kinds));
  std::vector<Request> problems;
  for (const std::string& types : split(line.take("--types", defaults.types), ','))
    for (const Operator op : ops)
      for (const Kind kind : kinds) {
        auto problem = request_of<ScanRequest>(line, types);
        problem.op = op;
        problem.kind = kind;
        problem.init = kind == Kind::exclusive ? Init::value : Init::none;
        problems.emplace_back(problem);
      }
  return problems;
}

std::vector<Request> take_reductions(CommandLine& line, const Defaults& defaults) {
  line.refuse("--kinds", "goes with --algorithm scan only");
  const auto ops = parse_tokens<Operator>(line, line.take("--ops", defaults.ops));
  const auto positions = parse_tokens<Position>(line, line.take("--positions", defaults.positions));
  std::vector<Request> problems;
  for (const std::string& types : split(line.take("--types", defaults.types), ','))
    for (const Operator op : ops)
      for (const Position position : positions) {
        auto problem = request_of<ReduceRequest>(line, types);
        problem.op = op;
        problem.position = position;
        problem.init = Init::none;
        problems.emplace_back(problem);
      }
  return problems;
}

std::vector<Request> take_problems(CommandLine& line, const Defaults& defaults) {
  const std::string algorithm = line.take("--algorithm", "scan");
  if (algorithm == "scan") return take_scans(line, defaults);
  if (algorithm == "reduce") return take_reductions(line, defaults);
  line.fail("--algorithm takes scan or reduce");
}

double take_graph_ms(CommandLine& line, double fallback) {
  const std::string given = line.take("--graph-ms", "");
  return given.empty() ? fallback : static_cast<double>(parse_number(line, given, kMostGraphMs));
}

Latency take_latency(CommandLine& line) {
  const std::vector<Latency> given = parse_tokens<Latency>(line, line.take("--latency", token(Latency::back_to_back)));
  if (given.size() != 1) line.fail("--latency takes one value");
  return given.front();
}

void set_latency(Request& request, Latency latency) {
  for (const MemberModel& member : request.members())
    if (member.tokens.data() == Tokens<Latency>::kNames) request.set(member, static_cast<int>(latency));
}

void take_comparison(CommandLine& line, BenchOptions& options) {
  for (const char* option : {"--seed", "--range"}) line.refuse(option, "goes with --draws only");
  options.sampling.graph_ms = take_graph_ms(line, options.sampling.graph_ms);
  const std::string sizes = line.take("--sizes", "");
  const std::vector<Request> problems =
      take_problems(line, {std::string(kTableTypes) + kWideTypes, "sum", "inclusive", "none"});
  const std::string conditions = line.take("--conditions", "");
  options.comparison.conditions = conditions.empty()
                                      ? std::vector<Condition>(std::begin(kAllConditions), std::end(kAllConditions))
                                      : parse_tokens<Condition>(line, conditions);
  for (Request problem : problems) {
    std::vector<u64> all = parse_sizes(line, sizes.empty() ? kSizes : sizes);
    if (sizes.empty() && problem == Request(request_of<ScanRequest>(line, "i8"))) all.push_back(kLargestOfI8);
    for (const u64 n : all) {
      problem.n = n;
      if (!is_compared(problem)) line.fail("no comparison is built for " + to_string(problem));
      options.cases.push_back({problem});
    }
  }
}

void take_draws(CommandLine& line, BenchOptions& options, const std::string& count) {
  line.refuse("--sizes", "does not go with --draws, which draws sizes from --range");
  line.refuse("--conditions", "does not go with --draws, which are cold");
  options.draws = true;
  options.seed = parse_number(line, line.take("--seed", "1"), ~u64{0});
  options.comparison = {{Condition::cold}, false};
  options.sampling = kFirstLook;
  options.sampling.graph_ms = take_graph_ms(line, kFirstLook.graph_ms);
  std::vector<Request> problems =
      take_problems(line, {kTableTypes, "sum,min,max", "inclusive,exclusive", "none,first"});
  std::erase_if(problems, [](const Request& problem) { return !is_compared(problem); });
  if (problems.empty()) line.fail("no comparison is built for any of these");
  const std::vector<std::string> range = split(line.take("--range", "20-28"), '-');
  if (range.size() != 2) line.fail("--range takes two exponents, as in 20-28");
  constexpr u64 kMostExponent = 30;
  const u64 least = parse_number(line, range[0], kMostExponent), most = parse_number(line, range[1], kMostExponent);
  if (least > most) line.fail("--range takes the smaller exponent first");
  const u64 draws = parse_number(line, count, kMostDraws);
  if (draws == 0) line.fail("--draws takes the number of draws, at least 1; without --draws a table is measured");
  options.cases = draw_cases(problems, {u64{1} << least, u64{1} << most}, static_cast<int>(draws), options.seed);
}

}  // namespace

BenchOptions parse_bench_options(int count, char** arguments) {
  CommandLine line("cub_bench", kUsage, count, arguments);
  BenchOptions options;
  choose_database(line);
  options.report = report_options(line);
  if (const std::string draws = line.take("--draws", ""); !draws.empty()) {
    take_draws(line, options, draws);
  } else {
    take_comparison(line, options);
  }
  const Latency latency = take_latency(line);
  for (Case& subject : options.cases) set_latency(subject.request, latency);
  line.finish();
  return options;
}

}  // namespace scantune::bench
