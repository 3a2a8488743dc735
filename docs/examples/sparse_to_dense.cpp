// Sparse readings of many sensors as a dense table, in which a reading holds until the sensor's next one.
#include <scantune/runtime.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace runtime = scantune::runtime;

constexpr std::uint32_t kSensors = 200, kTimes = 250;
constexpr float kUnknown = -1;  // before a sensor's first reading

struct Readings {
  std::vector<std::uint32_t> begins{0};  // of each sensor, and the end: it may be empty
  std::vector<std::uint32_t> times;      // which ascend for each sensor
  std::vector<float> values;
};

std::vector<float> dense(const Readings& readings) {
  // The sensor of each reading.
  const std::uint64_t n = readings.values.size();
  const runtime::Buffer<std::uint32_t> d_begins(readings.begins), d_sensor_of(n);
  runtime::load_balance(d_begins.data(), kSensors, d_sensor_of.data(), n);
  std::vector<std::uint32_t> sensor_of(n);
  d_sensor_of.download(sensor_of.data());

  // Mark where readings are by their numbers, which ascend along a row of the table.
  std::vector<std::uint32_t> marks(kSensors * kTimes);  // 0: no reading
  for (std::uint32_t i = 0; i < n; ++i)                 // in your program: a kernel
    marks[sensor_of[i] * kTimes + readings.times[i]] = i + 1;

  // The greatest mark so far in a row is that of the last reading.
  const runtime::Buffer<std::uint32_t> d_marks(marks);
  runtime::scan(d_marks.data(), d_marks.data(), marks.size(),
                {.op = runtime::Op::max, .segments = runtime::Segments::rows(kSensors, kTimes)});
  d_marks.download(marks.data());

  std::vector<float> table(marks.size(), kUnknown);
  for (std::size_t i = 0; i < marks.size(); ++i)  // in your program: a kernel
    if (marks[i] != 0) table[i] = readings.values[marks[i] - 1];
  return table;
}

int main() {
  Readings readings;
  for (std::uint32_t sensor = 0; sensor < kSensors; ++sensor) {
    const std::uint32_t every = sensor % 5;  // 0: the sensor is broken; 1: it has a reading at all times
    for (std::uint32_t time = every == 1 ? 0 : sensor; every != 0 && time < kTimes; time += every * every) {
      readings.times.push_back(time);
      readings.values.push_back(static_cast<float>(sensor * time % 1000));
    }
    readings.begins.push_back(static_cast<std::uint32_t>(readings.times.size()));
  }
  const std::vector<float> table = dense(readings);

  std::vector<float> expected;
  for (std::uint32_t sensor = 0; sensor < kSensors; ++sensor) {
    float last = kUnknown;
    std::uint32_t next = readings.begins[sensor];
    for (std::uint32_t time = 0; time < kTimes; ++time) {
      if (next < readings.begins[sensor + 1] && readings.times[next] == time) last = readings.values[next++];
      expected.push_back(last);
    }
  }
  std::printf("%zu readings fill a table of %zu\n", readings.values.size(), table.size());
  return table == expected ? 0 : 1;
}
