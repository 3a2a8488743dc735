#include "mutation_trials.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "expected_scan.h"
#include "families_under_test.h"
#include "measure/prepared_config.h"
#include "offsets_in_memory.h"
#include "plain_sort.h"
#include "scan_items.h"
#include "scan_kernels.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr unsigned char kPoison = 0xa5;  // bytes that no kernel has written

bool zeroed(const Workspace& workspace, u64 bytes) {
  const auto* const begin = static_cast<const unsigned char*>(workspace.data());
  return std::all_of(begin, begin + bytes, [](unsigned char byte) { return byte == 0; });
}

class ScanTrial : public Trial {
 public:
  ScanTrial(const Setting& setting, std::span<const TemplateFile> templates)
      : Trial(setting, templates), request_(request_of(setting)) {
    request_.n = configure(request_);
    load(request_, variant());
    items_ = scan_items(request_, 1, custom());
    init_ = scan_init(request_, custom());
    keys_ = keys_of(request_);
    expected_ = expected_results(items_);
    if (setting.in_place()) expected_ = expected_results(expected_);
    if (request_.has_offsets()) offsets_.emplace(device_, request_);
    input_ = allocated(items_.size(), setting.misaligned_input_bytes);
    output_ = setting.in_place() ? input_ : allocated(expected_.size(), setting.misaligned_output_bytes);
    n_ = allocated(sizeof request_.n, 0);
    std::memcpy(n_, &request_.n, sizeof request_.n);
    if (keys_.empty()) return;
    keys_in_ = allocated(request_.n * sizeof(u32), 0);
    keys_out_ = allocated(request_.n * sizeof(u32), 0);
    count_ = allocated(sizeof(u64), 0);
    std::memcpy(keys_in_, keys_.data(), request_.n * sizeof(u32));
  }

  // Two overlapping scans, the second of which scans the first one's results if in place.
  std::string failure(const Schedule& schedule) override {
    fill_memory();
    const WorkspaceNeed need = config_->family().workspace(*config_, launched());
    Workspace workspace(device_, need);
    const ScanBuffers buffers{input_, output_, workspace.data(), init_.data(), n_};
    std::vector<HostLaunch> scan = launches(launched(), buffers);
    if (offsets_)
      for (HostLaunch& launch : scan) offsets_->set(launch.arguments);
    std::vector<HostLaunch> first = scan;
    if (setting_.wraps_epoch) {
      // A shorter scan runs in the last epoch. It must zero the words of the longer one before it too.
      workspace.header().epoch = kLastEpoch - 2;
      ScanRequest shorter = request_;
      shorter.n /= 3;
      const auto last = launches(shorter, buffers);
      first.insert(first.end(), last.begin(), last.end());
    }
    std::string problem = run(first, schedule);
    if (problem.empty() && setting_.wraps_epoch && !zeroed(workspace, need.bytes))
      problem = "the wrap left words behind";
    if (!problem.empty()) return problem;
    fill_memory();
    const std::vector<HostLaunch> once = scan;
    scan.insert(scan.end(), once.begin(), once.end());
    problem = run(scan, schedule);
    if (need.kind == WorkspaceKind::counted && problem.empty() && !zeroed(workspace, sizeof(WorkspaceHeader)))
      problem = "a count was kept";
    if (problem.empty() && difference(request_, output_, expected_, custom())) problem = "wrong result";
    return problem;
  }

 private:
  static ScanRequest request_of(const Setting& setting) {
    ScanRequest request = setting.custom ? setting.custom->request : ScanRequest{};
    request.kind = Kind::exclusive;
    request.init = Init::value;
    // Rows are as long as the shortest of which any family takes whole runs.
    request.n = setting.rows == 0 ? 1 : 64 * setting.rows;
    if (setting.rows != 0) request.segments = Segments::rows;
    request.rows = setting.rows;
    if (setting.reads_n) request.n_source = NSource::memory;
    if (setting.columns != 0) request.segments = Segments::columns;
    request.columns = setting.columns;
    if (setting.segments != 0) request.segments = Segments::offsets;
    request.segment_count = setting.segments;
    if (setting.has_keys) request.segments = Segments::keys;
    if (setting.writes_totals) request.kind = Kind::inclusive;
    if (setting.writes_totals) request.results = Results::totals;
    // They are longer where status descriptors would exceed them.
    if (find_family(setting.family)->unsupported_reason(request, kHostSm) != nullptr) request.n *= 8;
    return request;
  }

  // Runs of 40, then one of several tiles, then of one item each.
  static std::vector<u32> keys_of(const ScanRequest& request) {
    std::vector<u32> keys;
    if (request.segments != Segments::keys) return keys;
    for (u64 index = 0; index < request.n; ++index) {
      const u64 third = index * 3 / request.n;
      keys.push_back(static_cast<u32>(third == 0 ? index / 40 : third == 1 ? 0 : index));
    }
    return keys;
  }

  std::vector<std::pair<u64, u64>> bounds_of_segments() const {
    std::vector<std::pair<u64, u64>> bounds;
    if (request_.has_offsets())
      for (const auto& [begin, end] : segments_of(request_)) bounds.emplace_back(begin, end);
    for (u64 index = 0; index < keys_.size(); ++index) {
      if (index == 0 || keys_[index] != keys_[index - 1]) bounds.emplace_back(index, index);
      bounds.back().second = index + 1;
    }
    return bounds;
  }

  // Items of no segment stay as they are, and so does what is after the last total.
  Bytes expected_results(const Bytes& items) const {
    if (!request_.has_offsets() && keys_.empty()) return expected_scan(request_, items, init_.data(), custom());
    Bytes results = setting_.in_place() ? items : Bytes(items.size(), kPoison);
    ScanRequest one = request_;
    one.segments = Segments::none;
    u64 total = 0;
    for (const auto& [begin, end] : bounds_of_segments()) {
      const auto place = [&](u64 item) { return static_cast<std::ptrdiff_t>(item) * request_.input_bytes(); };
      one.n = end - begin;
      const Bytes its =
          expected_scan(one, Bytes(items.begin() + place(begin), items.begin() + place(end)), init_.data(), custom());
      if (request_.writes_totals())
        std::copy(its.end() - place(1), its.end(), results.begin() + place(total++));
      else
        std::ranges::copy(its, results.begin() + place(begin));
    }
    return results;
  }

  std::vector<HostLaunch> launches(const ScanRequest& request, const ScanBuffers& buffers) const {
    std::vector<HostLaunch> launches = scan_launches(*module_, *config_, request, buffers, variant());
    if (!keys_.empty())
      for (HostLaunch& launch : launches) {
        launch.arguments.set_operand(OperandRole::keys, keys_in_);
        launch.arguments.set_operand(OperandRole::keys_output, keys_out_);
        launch.arguments.set_operand(OperandRole::count, count_);
      }
    return launches;
  }

  // The request that the kernels are launched for, which may be of more items than there are.
  ScanRequest launched() const {
    ScanRequest request = request_;
    if (request.reads_n()) request.n += 3 * static_cast<u64>(config_->family().tile_items(*config_, request_));
    return request;
  }

  Variant variant() const {
    const bool aligned = setting_.misaligned_input_bytes + setting_.misaligned_output_bytes == 0;
    return aligned ? Variant::aligned : Variant::any;
  }

  void fill_memory() {
    if (!setting_.in_place()) std::fill_n(output_, expected_.size(), kPoison);
    std::copy(items_.begin(), items_.end(), input_);
  }

  ScanRequest request_;
  std::optional<OffsetsInMemory> offsets_;
  Bytes items_, init_, expected_;
  std::vector<u32> keys_;
  unsigned char *input_, *output_, *n_;
  unsigned char *keys_in_ = nullptr, *keys_out_ = nullptr, *count_ = nullptr;
};

// Each reduction's first items are the results of the one before, and the others are others than that one's.
class ReduceTrial : public Trial {
 public:
  ReduceTrial(const Setting& setting, std::span<const TemplateFile> templates)
      : Trial(setting, templates), request_(request_of(setting)) {
    request_.n = configure(request_);
    load(request_, variant());
    ScanRequest scan{.op = request_.op, .init = Init::value, .n = request_.n};
    if (setting.custom) {
      scan = setting.custom->request;
      scan.init = Init::value;
      scan.n = request_.n;
    }
    items_ = scan_items(scan, 1, custom());
    init_ = scan_init(scan, custom());
    next_items_ = scan_items(scan, 2, custom());
    const Bytes first = expected_results(scan, items_);
    std::copy(first.begin(), first.end(), next_items_.begin());
    expected_ = expected_results(scan, next_items_);
    input_ = allocated(items_.size(), setting.misaligned_input_bytes);
    next_input_ = allocated(items_.size(), setting.misaligned_input_bytes);
    output_ = allocated(expected_.size(), 0);
    if (request_.has_offsets()) offsets_.emplace(device_, request_);
  }

  // Four reductions: of the items to the next ones, of these, and both again.
  std::string failure(const Schedule& schedule) override {
    std::copy(items_.begin(), items_.end(), input_);
    std::copy(next_items_.begin(), next_items_.end(), next_input_);
    std::fill_n(next_input_, expected_.size(), kPoison);
    std::fill_n(output_, expected_.size(), kPoison);
    const WorkspaceNeed need = config_->family().workspace(*config_, request_);
    Workspace workspace(device_, need);
    if (setting_.wraps_epoch) workspace.header().epoch = kLastEpoch - 4;  // the fourth reduction has the last one
    std::vector<HostLaunch> launches;
    for (int time = 0; time < 2; ++time) {
      append(launches, input_, next_input_, workspace);
      append(launches, next_input_, output_, workspace);
    }
    const std::string problem = run(launches, schedule);
    if (!problem.empty()) return problem;
    if (setting_.wraps_epoch && !zeroed(workspace, need.bytes)) return "the wrap left words behind";
    if (need.kind == WorkspaceKind::counted && !zeroed(workspace, sizeof(WorkspaceHeader))) return "a count was kept";
    return std::equal(expected_.begin(), expected_.end(), output_) ? "" : "wrong result";
  }

 private:
  static ReduceRequest request_of(const Setting& setting) {
    ReduceRequest request{.op = setting.op, .n = 1};
    if (setting.custom) {
      const ScanRequest& scan = setting.custom->request;
      request.input_type = request.accumulator_type = request.output_type = scan.input_type;
      request.op = scan.op;
      request.custom_bytes = scan.custom_bytes;
      request.custom_alignment = scan.custom_alignment;
    }
    if (setting.rows != 0) {
      request.segments = Segments::rows;
      request.n = 64 * setting.rows;  // as of scans
    }
    request.rows = setting.rows;
    if (setting.columns != 0) request.segments = Segments::columns;
    request.columns = setting.columns;
    if (setting.segments != 0) request.segments = Segments::offsets;
    request.segment_count = setting.segments;
    return request;
  }

  Variant variant() const { return setting_.misaligned_input_bytes == 0 ? Variant::aligned : Variant::any; }

  Bytes expected_results(const ScanRequest& scan, const Bytes& items) const {
    const auto item_bytes = static_cast<std::ptrdiff_t>(request_.input_bytes());
    if (request_.has_offsets()) {
      Bytes results;
      for (const auto& [begin, end] : segments_of(request_)) {
        const auto item = [&](u64 place) { return items.begin() + static_cast<std::ptrdiff_t>(place) * item_bytes; };
        const Bytes result = expected_total(scan, Bytes(item(begin), item(end)), init_.data(), custom());
        results.insert(results.end(), result.begin(), result.end());
      }
      return results;
    }
    if (request_.segments == Segments::columns) {
      Bytes results;
      for (u64 column = 0; column < request_.columns; ++column) {
        Bytes its;
        for (auto item = items.begin() + static_cast<std::ptrdiff_t>(column) * item_bytes; item < items.end();
             item += static_cast<std::ptrdiff_t>(request_.columns) * item_bytes)
          its.insert(its.end(), item, item + item_bytes);
        const Bytes result = expected_total(scan, its, init_.data(), custom());
        results.insert(results.end(), result.begin(), result.end());
      }
      return results;
    }
    const auto row_bytes = static_cast<std::ptrdiff_t>(row_items(request_) * static_cast<u64>(request_.input_bytes()));
    Bytes results;
    for (auto begin = items.begin(); begin != items.end();) {
      const auto end = begin + std::min(row_bytes, items.end() - begin);
      const Bytes result = expected_total(scan, Bytes(begin, end), init_.data(), custom());
      results.insert(results.end(), result.begin(), result.end());
      begin = end;
    }
    return results;
  }

  void append(std::vector<HostLaunch>& launches, const unsigned char* input, unsigned char* output,
              const Workspace& workspace) const {
    KernelArguments arguments{};
    arguments.set_operand(OperandRole::input, input);
    arguments.set_operand(OperandRole::output, output);
    arguments.workspace = workspace.data();
    std::copy(init_.begin(), init_.end(), arguments.init);
    if (offsets_) offsets_->set(arguments);
    const LaunchList list = config_->family().launches(*config_, request_, variant());
    for (int index = 0; index < list.count; ++index)
      launches.push_back({module_.get(), list.launches[index], arguments});
  }

  ReduceRequest request_;
  std::optional<OffsetsInMemory> offsets_;
  Bytes items_, next_items_, init_, expected_;
  unsigned char *input_, *next_input_, *output_;
};

// Flagged items of four bytes, so that which are kept is known.
class SelectTrial : public Trial {
 public:
  SelectTrial(const Setting& setting, std::span<const TemplateFile> templates)
      : Trial(setting, templates), request_(request_of(setting)) {
    request_.n = configure(request_);
    load(request_, variant());
    Random random(1);
    flags_.resize(request_.n);
    items_.resize(request_.n);
    for (u64 index = 0; index < request_.n; ++index) {
      // Runs of kept items and of others, and some of both.
      const u64 run = index / 23 % 3;
      flags_[index] = run == 0 || (run == 1 && random.below(2) == 0);
      items_[index] = static_cast<u32>(index * 0x9e3779b1u);
    }
    input_ = allocated(4 * request_.n, setting.misaligned_input_bytes);
    output_ = in_place() ? input_ : allocated(4 * request_.n, setting.misaligned_output_bytes);
    rejected_ = allocated(4 * request_.n, setting.misaligned_output_bytes);
    places_ = allocated(8 * request_.n, 0);
    values_ = allocated(4 * request_.n, 0);  // of each item its own bits, turned over
    for (u64 index = 0; index < request_.n; ++index) {
      const u32 value = ~items_[index];
      std::memcpy(values_ + 4 * index, &value, sizeof value);
    }
    values_output_ = allocated(4 * request_.n, 0);
    device_flags_ = allocated(request_.n, 0);
    count_ = allocated(sizeof(u64), 0);
    std::ranges::copy(flags_, device_flags_);
  }

  // Two selections by the same flags, of which the second takes what the first has left in place.
  std::string failure(const Schedule& schedule) override {
    const WorkspaceNeed need = config_->family().workspace(*config_, request_);
    Workspace workspace(device_, need);
    if (setting_.wraps_epoch) workspace.header().epoch = kLastEpoch - 2;  // the second has the last one
    KernelArguments arguments{};
    arguments.set_operand(OperandRole::input, input_);
    arguments.set_operand(OperandRole::output, output_);
    arguments.workspace = workspace.data();
    arguments.set_operand(OperandRole::flags, device_flags_);
    arguments.set_operand(OperandRole::rejected, rejected_);
    arguments.set_operand(OperandRole::indices, places_);
    arguments.set_operand(OperandRole::values, values_);
    arguments.set_operand(OperandRole::values_output, values_output_);
    arguments.set_operand(OperandRole::count, count_);
    const LaunchList list = config_->family().launches(*config_, request_, variant());
    std::vector<HostLaunch> launches;
    for (int selection = 0; selection < 2; ++selection)
      for (int index = 0; index < list.count; ++index)
        launches.push_back({module_.get(), list.launches[index], arguments});

    std::memcpy(input_, items_.data(), 4 * request_.n);
    for (unsigned char* const written : {rejected_, count_})
      std::fill_n(written, written == count_ ? 8 : 4 * request_.n, kPoison);
    if (!in_place()) std::fill_n(output_, 4 * request_.n, kPoison);
    std::fill_n(places_, 8 * request_.n, kPoison);
    std::fill_n(values_output_, 4 * request_.n, kPoison);
    const std::string problem = run(launches, schedule);
    if (!problem.empty()) return problem;
    if (setting_.wraps_epoch && !zeroed(workspace, need.bytes)) return "the wrap left words behind";
    return is_right() ? "" : "wrong result";
  }

 private:
  static SelectRequest request_of(const Setting& setting) {
    return {.input_type = ValueType::u32,
            .criterion = Criterion::flagged,
            .selected = setting.rejected == Rejected::dropped ? Selected::items_and_indices : Selected::items,
            .rejected = setting.rejected,
            .values = setting.rejected == Rejected::dropped ? Values::bytes_4 : Values::none,
            .n = 1};
  }

  bool in_place() const { return setting_.in_place() && request_.may_be_in_place(); }

  bool is_right() const {
    std::vector<u32> memory = items_, rest;
    std::vector<u64> places;
    std::vector<u32> kept;
    for (int time = 0; time < (in_place() ? 2 : 1); ++time) {
      kept.clear(), rest.clear(), places.clear();
      for (u64 index = 0; index < flags_.size(); ++index) {
        if (flags_[index] != 0) kept.push_back(memory[index]), places.push_back(index);
        if (flags_[index] == 0) rest.push_back(memory[index]);
      }
      std::ranges::copy(kept, memory.begin());
    }
    const u64 count = kept.size();
    if (std::memcmp(count_, &count, sizeof count) != 0 || std::memcmp(output_, kept.data(), 4 * count) != 0)
      return false;
    if (request_.keeps_rejected()) {
      const unsigned char* const others = request_.rejected == Rejected::apart ? rejected_ : output_ + 4 * count;
      return std::memcmp(others, rest.data(), 4 * rest.size()) == 0;
    }
    for (u64 index = 0; index < count; ++index) {
      const u32 value = ~items_[places[index]];
      if (std::memcmp(values_output_ + 4 * index, &value, sizeof value) != 0) return false;
    }
    return std::memcmp(places_, places.data(), 8 * count) == 0;
  }

  Variant variant() const { return setting_.misaligned_input_bytes == 0 ? Variant::aligned : Variant::any; }

  SelectRequest request_;
  std::vector<u32> items_;
  std::vector<unsigned char> flags_;
  unsigned char *input_, *output_, *rejected_, *places_, *values_, *values_output_, *device_flags_, *count_;
};

// Two load balances, of which the second takes the segments that the first has told its items for offsets.
class LoadBalanceTrial : public Trial {
 public:
  LoadBalanceTrial(const Setting& setting, std::span<const TemplateFile> templates) : Trial(setting, templates) {
    const LoadBalanceRequest request{.assigned = Assigned::segments_and_ranks, .n = 1, .segments = 1};
    const u64 places = configure(request);
    load(request, Variant::aligned);
    // Neither the first segment nor the last is empty, so that their numbers are offsets of as many items.
    Random random(1);
    std::vector<u32> offsets{0};
    while (offsets.back() + offsets.size() < places) {
      const u64 run = offsets.size() / 23 % 3;
      const u32 length = offsets.size() == 1 ? 1 : run == 0 ? 0 : run == 1 ? random.below(4) : random.below(40);
      offsets.push_back(offsets.back() + length);
    }
    offsets.push_back(offsets.back() + 1);
    steps_[0] = step_of(request, offsets);
    steps_[1] = step_of(request, steps_[0].segments);
    const auto* const bytes = reinterpret_cast<const unsigned char*>(offsets.data());
    offsets_ = allocated(4 * offsets.size(), 0);
    std::copy_n(bytes, 4 * offsets.size(), offsets_);
    for (Step& step : steps_) {
      step.output = allocated(4 * step.request.n, 0);
      step.position = allocated(4 * step.request.n, 0);
    }
  }

  std::string failure(const Schedule& schedule) override {
    std::vector<HostLaunch> launches;
    const unsigned char* offsets = offsets_;
    for (const Step& step : steps_) {
      std::fill_n(step.output, 4 * step.request.n, kPoison);
      std::fill_n(step.position, 4 * step.request.n, kPoison);
      KernelArguments arguments{};
      arguments.set_operand(OperandRole::input, offsets);
      arguments.set_operand(OperandRole::output, step.output);
      arguments.set_operand(OperandRole::indices, step.position);
      launches.push_back(
          {module_.get(), config_->family().launches(*config_, step.request, Variant::aligned).launches[0], arguments});
      offsets = step.output;
    }
    const std::string problem = run(launches, schedule);
    if (!problem.empty()) return problem;
    const bool is_right = std::ranges::all_of(steps_, [](const Step& step) {
      return std::memcmp(step.output, step.segments.data(), 4 * step.request.n) == 0 &&
             std::memcmp(step.position, step.ranks.data(), 4 * step.request.n) == 0;
    });
    return is_right ? "" : "wrong result";
  }

 private:
  struct Step {
    LoadBalanceRequest request;
    std::vector<u32> segments, ranks;  // as they should be
    unsigned char* output = nullptr;
    unsigned char* position = nullptr;
  };

  static Step step_of(LoadBalanceRequest request, const std::vector<u32>& offsets) {
    request.n = offsets.back();
    request.segments = offsets.size() - 1;
    Step step{.request = request, .segments = {}, .ranks = {}};
    for (u32 segment = 0; segment < request.segments; ++segment)
      for (u32 item = offsets[segment]; item < offsets[segment + 1]; ++item) {
        step.segments.push_back(segment);
        step.ranks.push_back(item - offsets[segment]);
      }
    return step;
  }

  std::array<Step, 2> steps_;
  unsigned char* offsets_;
};

// Two sorts, of which the second takes what the first has put in order, and compares other bits.
class SortTrial : public Trial {
 public:
  SortTrial(const Setting& setting, std::span<const TemplateFile> templates) : Trial(setting, templates) {
    SortRequest request = request_of(setting, *find_family(setting.family));
    const u64 row = configure(request);
    request.n = setting.rows == 0 ? row : setting.rows * row - 5;  // the last row is shorter
    load(request, variant());
    if (request.has_offsets()) offsets_.emplace(device_, request);
    Items last = first_ = drawn_items(request);
    input_ = items_in_memory(first_, setting.misaligned_input_bytes);
    for (Step& step : steps_) {
      step.request = request;
      if (request.has_values() && !request.is_by_source()) {
        step.request.key_bits = KeyBits::some;
        step.request.end_bit = &step == &steps_[0] ? 32 : 13;
        step.request.bits = step.request.end_bit - 1;
      }
      step.expected = last = in_order(step.request, last);
      step.output = items_in_memory(last, setting.misaligned_output_bytes);
    }
  }

  std::string failure(const Schedule& schedule) override {
    const WorkspaceNeed need = config_->family().workspace(*config_, steps_[0].request);
    Workspace workspace(device_, need);
    std::vector<HostLaunch> launches;
    std::ranges::copy(first_.keys, input_.keys);
    std::ranges::copy(first_.values, input_.values);
    const InMemory* from = &input_;
    for (const Step& step : steps_) {
      std::fill_n(step.output.keys, step.expected.keys.size(), kPoison);
      std::fill_n(step.output.values, step.expected.values.size(), kPoison);
      KernelArguments arguments{};
      arguments.set_operand(OperandRole::input, from->keys);
      arguments.set_operand(OperandRole::values, from->values);
      arguments.set_operand(OperandRole::output, step.output.keys);
      arguments.set_operand(OperandRole::values_output, step.output.values);
      arguments.workspace = workspace.data();
      if (offsets_) offsets_->set(arguments);
      const LaunchList list = config_->family().launches(*config_, step.request, variant());
      for (int index = 0; index < list.count; ++index)
        launches.push_back({module_.get(), list.launches[index], arguments});
      from = &step.output;
    }
    const std::string problem = run(launches, schedule);
    if (!problem.empty()) return problem;
    if (need.kind == WorkspaceKind::counted && !zeroed(workspace, sizeof(WorkspaceHeader))) return "a count was kept";
    const bool is_right = std::ranges::all_of(steps_, [&](const Step& step) {
      if (setting_.consumes_input && &step != &steps_.back()) return true;
      return std::ranges::equal(step.expected.keys, std::span(step.output.keys, step.expected.keys.size())) &&
             std::ranges::equal(step.expected.values, std::span(step.output.values, step.expected.values.size()));
    });
    return is_right ? "" : "wrong result";
  }

 private:
  struct Items {
    Bytes keys, values;
  };
  struct InMemory {
    unsigned char *keys, *values;
  };
  struct Step {
    SortRequest request;
    Items expected;
    InMemory output;
  };

  // Pairs of four bytes each, or what the family takes.
  static SortRequest request_of(const Setting& setting, const FamilyModel& family) {
    SortRequest request{.sorted = Sorted::pairs, .n = std::max<u64>(setting.rows, 1), .rows = setting.rows};
    if (setting.rows != 0) request.segments = Segments::rows;
    if (setting.segments != 0) request.segments = Segments::offsets;
    request.segment_count = setting.segments;
    if (setting.consumes_input) request.input_use = InputUse::consumed;
    return taken_by(family, request);
  }

  // Random keys and few, by turns, and of each its own value.
  static Items drawn_items(const SortRequest& request) {
    const auto key_bytes = static_cast<u64>(request.input_bytes());
    Items items{Bytes(request.n * key_bytes), Bytes(request.has_values() ? 4 * request.n : 0)};
    Random random(1);
    for (u64 index = 0; index < request.n; ++index) {
      const u32 any = random.below(1u << 31) * 2 + random.below(2), key = index / 203 % 2 == 0 ? any : any % 3;
      const u32 value = static_cast<u32>(index * 0x9e3779b1u);
      std::memcpy(&items.keys[index * key_bytes], &key, key_bytes);
      if (request.has_values()) std::memcpy(&items.values[4 * index], &value, sizeof value);
    }
    return items;
  }

  static Items in_order(const SortRequest& request, const Items& items) {
    const auto key_bytes = static_cast<u64>(request.input_bytes());
    const Sequences sequences = request.has_offsets() ? segments_of(request) : rows_of(request);
    const std::vector<u64> order = plain_order(request, items.keys.data(), sequences);
    Items sorted{Bytes(items.keys.size(), kPoison), Bytes(items.values.size(), kPoison)};
    for (const auto& [first, end] : sequences)
      for (u64 place = first; place < end; ++place) {
        std::memcpy(&sorted.keys[place * key_bytes], &items.keys[order[place] * key_bytes], key_bytes);
        if (request.has_values()) std::memcpy(&sorted.values[4 * place], &items.values[4 * order[place]], 4);
      }
    return sorted;
  }

  InMemory items_in_memory(const Items& items, u64 misaligned_bytes) {
    const InMemory memory{allocated(items.keys.size(), misaligned_bytes),
                          allocated(items.values.size(), misaligned_bytes)};
    std::ranges::copy(items.keys, memory.keys);
    std::ranges::copy(items.values, memory.values);
    return memory;
  }

  Variant variant() const { return setting_.misaligned_input_bytes == 0 ? Variant::aligned : Variant::any; }

  Items first_;
  InMemory input_;
  std::array<Step, 2> steps_;
  std::optional<OffsetsInMemory> offsets_;
};

}  // namespace

u64 Trial::configure(const Request& request) {
  const FamilyModel& family = *find_family(setting_.family);
  config_ = config_of(family, request, setting_.values);
  return setting_.tiles * static_cast<u64>(family.tile_items(*config_, request)) + setting_.tail_items;
}

void Trial::load(const Request& request, Variant variant) {
  const Instantiation instantiation = setting_.custom
                                          ? instantiate(request, *config_, variant, &setting_.custom->custom)
                                          : instantiate_measured(request, *config_, variant, nullptr);
  module_ = device_.load(compiler_.compile(instantiation, "host"), instantiation.kernels, {});
}

std::string Trial::run(std::span<const HostLaunch> launches, const Schedule& schedule) {
  try {
    device_.run(launches, schedule);
    return {};
  } catch (const DeviceError& error) {
    return error.what();
  }
}

std::unique_ptr<Trial> trial_of(const Setting& setting, std::span<const TemplateFile> templates) {
  if (&find_family(setting.family)->algorithm() == &algorithm_of<ReduceRequest>())
    return std::make_unique<ReduceTrial>(setting, templates);
  if (&find_family(setting.family)->algorithm() == &algorithm_of<SelectRequest>())
    return std::make_unique<SelectTrial>(setting, templates);
  if (&find_family(setting.family)->algorithm() == &algorithm_of<LoadBalanceRequest>())
    return std::make_unique<LoadBalanceTrial>(setting, templates);
  if (&find_family(setting.family)->algorithm() == &algorithm_of<SortRequest>())
    return std::make_unique<SortTrial>(setting, templates);
  return std::make_unique<ScanTrial>(setting, templates);
}

}  // namespace scantune
