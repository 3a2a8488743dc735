#include "select_case.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>

namespace scantune::select_test {
namespace {

std::string to_string(const Case& selection) {
  return scantune::to_string(Request(selection.request)) + ", " + scantune::to_string(selection.config) + ", " +
         std::to_string(selection.misaligned_items) + " items from alignment" +
         (selection.in_place ? ", in place" : "") + ", seed " + std::to_string(selection.seed);
}

Bytes indices(u64 n, int bytes) {
  Bytes result(n * static_cast<u64>(bytes));
  for (u64 index = 0; index < n; ++index)
    std::memcpy(&result[index * static_cast<u64>(bytes)], &index, static_cast<std::size_t>(bytes));
  return result;
}

// A flag for each item: where it is kept, one byte of it is not 0.
Bytes flags_of(const SelectRequest& request, const Flags& kept) {
  const auto bytes = static_cast<std::size_t>(request.flag_bytes());
  Bytes flags(kept.size() * bytes);
  for (std::size_t index = 0; bytes > 0 && index < kept.size(); ++index)
    flags[index * bytes + kept[index] % bytes] = kept[index];
  return flags;
}

// Bytes of an item that a load takes; 0 where there is no input.
u64 loaded_bytes(const SelectRequest& request) {
  if (request.load == Load::generated) return 0;
  return static_cast<u64>(converts(request.load) ? request.bytes_of(request.memory.loaded) : request.input_bytes());
}

// Bytes of an item that a store makes, or writes by itself.
u64 stored_bytes(const SelectRequest& request) {
  if (request.store == Store::writing) return sizeof(u32);
  return static_cast<u64>(converts(request.store) ? request.bytes_of(request.memory.stored) : request.input_bytes());
}

Bytes reversed(const Bytes& items, u64 item_bytes) {
  Bytes result;
  for (u64 last = items.size(); last > 0; last -= item_bytes)
    result.insert(result.end(), &items[last - item_bytes], &items[last - item_bytes] + item_bytes);
  return result;
}

// What an output has of the items.
Bytes stored(const Case& selection, const Bytes& items) {
  const SelectRequest& request = selection.request;
  if (request.store == Store::none) return items;
  const auto item_bytes = static_cast<u64>(request.input_bytes()), bytes = stored_bytes(request);
  Bytes result(items.size() / item_bytes * bytes, kPoison);
  for (u64 place = 0; place < items.size() / item_bytes; ++place)
    selection.maps->store(&result[place * bytes], &items[place * item_bytes], place);
  return result;
}

}  // namespace

Bytes taken(const Bytes& items, int item_bytes, const Flags& flags) {
  Bytes result;
  for (std::size_t index = 0; index < flags.size(); ++index)
    if (flags[index] != 0) {
      const auto begin = items.begin() + static_cast<std::ptrdiff_t>(index) * item_bytes;
      result.insert(result.end(), begin, begin + item_bytes);
    }
  return result;
}

testing::AssertionResult holds(const GuardedMemory& memory, const Bytes& expected, const unsigned char* rest) {
  for (u64 byte = 0; byte < memory.size(); ++byte) {
    const unsigned char right = byte < expected.size() ? expected[byte] : rest != nullptr ? rest[byte] : kPoison;
    if (memory.data()[byte] != right)
      return testing::AssertionFailure() << "byte " << byte << " of " << memory.size() << ", " << expected.size()
                                         << " of which are results, is " << int{memory.data()[byte]} << ", not "
                                         << int{right};
  }
  if (!memory.surroundings_intact()) return testing::AssertionFailure() << "it wrote beside the array";
  return testing::AssertionSuccess();
}

void check(const Case& selection) {
  SCOPED_TRACE(to_string(selection));
  HostDevice& device = bench().device;
  const SelectRequest& request = selection.request;
  const Variant variant = selection.misaligned_items == 0 ? Variant::aligned : Variant::any;
  const Module& module = bench().kernels.get(instantiate(request, selection.config, variant, selection.custom));
  if (is_rehearsal()) return;
  const u64 n = request.n, item_bytes = static_cast<u64>(request.input_bytes()), out_bytes = stored_bytes(request);
  const auto value_bytes = static_cast<u64>(request.value_bytes()),
             index_bytes = static_cast<u64>(request.index_bytes());
  const u64 off = selection.misaligned_items;
  const auto array_of = [&](u64 items, u64 bytes_of_item, u64 distance) {
    return std::make_unique<GuardedMemory>(device, items * bytes_of_item,
                                           off == 0 ? 0 : (off + distance) * bytes_of_item);
  };
  const auto array = [&](u64 bytes_of_item, u64 distance) { return array_of(n, bytes_of_item, distance); };
  // What is written ends where there is no more room.
  const auto room = [&](u64 capacity) { return request.is_limited() ? capacity : n; };
  const u64 capacity = room(request.capacity);
  const auto with_room = [&](Bytes bytes, u64 items, u64 bytes_of_item) {
    bytes.resize(std::min<u64>(bytes.size(), items * bytes_of_item));
    return bytes;
  };

  // An output lies otherwise than the input, where they are two.
  const Bytes& in_memory = converts(request.load) ? selection.memory : selection.items;
  const Bytes input_items = request.load == Load::generated ? Bytes{} : in_memory;
  const auto input = array(loaded_bytes(request), 0);
  const auto output = array_of(capacity, request.writes_items() ? out_bytes : index_bytes, 1);
  const auto flags = array(static_cast<u64>(request.flag_bytes()), 3), values = array(value_bytes, 2);
  const auto values_output = array_of(capacity, value_bytes, 0), positions = array_of(capacity, index_bytes, 0);
  const auto rejected = array_of(room(request.rejected_capacity), out_bytes, 2),
             second = array_of(room(request.second_capacity), out_bytes, 3);
  const u64 counts = static_cast<u64>(request.parts()) - 1,
            count_bytes = static_cast<u64>(bytes_of(request.count_width));
  const GuardedMemory count(device, counts * count_bytes, off == 0 ? 0 : count_bytes);
  Bytes beside(n * value_bytes);
  for (std::size_t byte = 0; byte < beside.size(); ++byte) beside[byte] = static_cast<unsigned char>(31 * byte + 7);
  const Workspace workspace(device, selection.config.family().workspace(selection.config, request));
  KernelArguments arguments{};
  if (request.load != Load::generated) arguments.set_operand(OperandRole::input, input->data());
  if (request.store != Store::writing)
    arguments.set_operand(OperandRole::output, selection.in_place ? input->data() : output->data());
  if (selection.maps != nullptr) {
    std::ranges::copy(selection.maps->load_state, arguments.states.load);
    if (selection.maps->store_state)
      std::ranges::copy(selection.maps->store_state(output->data()), arguments.states.store);
  }
  arguments.workspace = workspace.data();
  arguments.set_operand(OperandRole::indices, positions->data());
  arguments.set_operand(OperandRole::flags, flags->data());
  arguments.set_operand(OperandRole::values, values->data());
  arguments.set_operand(OperandRole::values_output, values_output->data());
  arguments.set_operand(OperandRole::rejected, rejected->data());
  arguments.set_operand(OperandRole::second, second->data());
  arguments.set_operand(OperandRole::count, count.data());
  std::ranges::copy(selection.constant, arguments.init);
  const LaunchList list = selection.config.family().launches(selection.config, request, variant);
  const Bytes its_flags = selection.flags.empty() ? flags_of(request, selection.kept) : selection.flags;

  Flags others(n), of_second = selection.second;
  of_second.resize(n);
  for (u64 index = 0; index < n; ++index) others[index] = selection.kept[index] == 0 && of_second[index] == 0;
  Bytes items = taken(selection.items, request.input_bytes(), selection.kept);
  Bytes seconds = taken(selection.items, request.input_bytes(), of_second);
  Bytes rest = taken(selection.items, request.input_bytes(), others);
  const u64 found[] = {items.size() / item_bytes, seconds.size() / item_bytes};
  Bytes expected_count(counts * count_bytes);
  for (u64 part = 0; part < counts; ++part)
    std::memcpy(&expected_count[part * count_bytes], &found[part], count_bytes);  // the low bytes come first
  if (request.rejected == Rejected::behind_reversed) rest = reversed(rest, item_bytes);
  if (request.has_one_output())
    for (const Bytes& part : {seconds, rest}) items.insert(items.end(), part.begin(), part.end());
  items = with_room(stored(selection, items), capacity, out_bytes);
  seconds = stored(selection, seconds);
  rest = stored(selection, rest);
  for (int time = 0; time < 2; ++time) {
    std::ranges::copy(input_items, input->data());
    std::ranges::copy(its_flags, flags->data());
    std::ranges::copy(beside, values->data());
    for (const GuardedMemory* written : std::initializer_list<const GuardedMemory*>{
             output.get(), values_output.get(), positions.get(), rejected.get(), second.get(), &count})
      std::fill_n(written->data(), written->size(), kPoison);
    std::vector<HostLaunch> launches;
    for (int index = 0; index < list.count; ++index) launches.push_back({&module, list.launches[index], arguments});
    ASSERT_NO_THROW(device.run(launches, Schedule::from_seed(selection.seed + static_cast<u64>(time))));
    ASSERT_TRUE(holds(count, expected_count)) << "the count";
    const Bytes places = with_room(taken(indices(n, request.index_bytes()), request.index_bytes(), selection.kept),
                                   capacity, index_bytes);
    if (selection.in_place)
      ASSERT_TRUE(holds(*input, items, input_items.data())) << "the items, in place";
    else
      ASSERT_TRUE(holds(*output, request.writes_items() ? items : places)) << "the output";
    if (!selection.in_place) {
      ASSERT_TRUE(holds(*input, input_items)) << "the input";
    }
    if (request.reads_flags()) {
      ASSERT_TRUE(holds(*flags, its_flags)) << "the flags";
    }
    if (request.has_values()) {
      ASSERT_TRUE(
          holds(*values_output, with_room(taken(beside, request.value_bytes(), selection.kept), capacity, value_bytes)))
          << "the values";
    }
    if (request.selected == Selected::items_and_indices) {
      ASSERT_TRUE(holds(*positions, places)) << "the indices";
    }
    const bool are_apart = request.rejected == Rejected::apart;
    ASSERT_TRUE(holds(*rejected, with_room(are_apart ? rest : Bytes{}, room(request.rejected_capacity), out_bytes)))
        << "the rest";
    ASSERT_TRUE(holds(*second, with_room(are_apart ? seconds : Bytes{}, room(request.second_capacity), out_bytes)))
        << "the second part";
  }
}

Bytes random_bytes(u64 bytes, Random& random) {
  Bytes result(bytes);
  for (unsigned char& byte : result) byte = static_cast<unsigned char>(random.below(256));
  return result;
}

Flags pattern(int which, u64 n, Random& random) {
  Flags flags(n);
  for (u64 index = 0; index < n; ++index) {
    const bool kept[kPatternCount] = {true,           false,         random.below(2) == 0, random.below(100) == 0,
                                      index % 2 == 0, index < n / 2, index + 1 == n};
    flags[index] = kept[which] ? static_cast<unsigned char>(1 + random.below(255)) : 0;
  }
  return flags;
}

Config drawn_config(const FamilyModel& family, const SelectRequest& request, Random& random) {
  const auto set = [&](Config& config, const char* name, std::vector<int> values) {
    const auto parameters = family.parameters();
    const auto found = std::ranges::find(parameters, std::string_view(name), &ParameterModel::name);
    if (found != parameters.end())
      config[static_cast<int>(found - parameters.begin())] = values[random.below(static_cast<u32>(values.size()))];
  };
  for (int attempt = 0; attempt < 1000; ++attempt) {
    Config config = family.default_config(request, kHostSm);
    set(config, "block_threads", {32, 64, 96});
    set(config, "items_per_thread", {2, 4, 6, 8, 12, 16, 32, 64});
    set(config, "vector_bytes", {4, 8, 16});
    set(config, "window", {1, 4, 32, 64});
    set(config, "tile_order", {0, 1});
    set(config, "ctas_per_sm", {1, 2, 4});
    for (const char* hint : {"load_hint", "count_hint"}) set(config, hint, {0, 1, 2});
    set(config, "store_hint", {0, 1});
    set(config, "pdl", {0, 1});
    if (reject_reason(config, request, kHostSm) == nullptr) return config;
  }
  throw std::runtime_error("no config is legal");
}

Config drawn_config(const SelectRequest& request, Random& random) {
  std::vector<const FamilyModel*> able;
  for (const FamilyModel* family : algorithm_of<SelectRequest>().families())
    if (family->unsupported_reason(request, kHostSm) == nullptr) able.push_back(family);
  return drawn_config(*able.at(random.below(static_cast<u32>(able.size()))), request, random);
}

SelectRequest of_type(ValueType type, Criterion criterion, u64 n) {
  return {.input_type = type, .criterion = criterion, .n = n};
}
SelectRequest of_struct(int bytes, int alignment, Criterion criterion, u64 n) {
  SelectRequest request = of_type(ValueType::custom, criterion, n);
  request.custom_bytes = bytes;
  request.custom_alignment = alignment;
  return request;
}

}  // namespace scantune::select_test
