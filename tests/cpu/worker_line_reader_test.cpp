// Lines of any length and depth, and what they cost the worker.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <streambuf>
#include <string>

#include "worker/line_reader.h"
#include "worker/protocol.h"

namespace scantune {
namespace {

using Outcome = LineReader::Outcome;

// A client that sends one byte without end, and counts what was taken.
class EndlessClient : public std::streambuf {
 public:
  std::size_t taken = 0;

 private:
  int_type underflow() override {
    taken += sizeof chunk_;
    std::fill(std::begin(chunk_), std::end(chunk_), '[');
    setg(chunk_, chunk_, chunk_ + sizeof chunk_);
    return '[';
  }

  char chunk_[1 << 16];
};

TEST(LineReader, GivesLinesWithoutTheirEnds) {
  std::istringstream input("one\n\nthree\r\nlast");
  LineReader lines(input);
  std::string line;
  for (const char* const expected : {"one", "", "three\r", "last"}) {
    EXPECT_EQ(lines.next(line), Outcome::line);
    EXPECT_EQ(line, expected);
  }
  EXPECT_EQ(lines.next(line), Outcome::end);
}

TEST(LineReader, TellsOfALineThatIsTooLongBeforeItEnds) {
  EndlessClient client;
  std::istream input(&client);
  LineReader lines(input);
  std::string line;
  EXPECT_EQ(lines.next(line), Outcome::too_long);
  EXPECT_LE(client.taken, LineReader::kMostBytes + (1 << 16));
  EXPECT_LT(line.capacity(), 1000u);
}

TEST(LineReader, GoesOnBehindALineThatIsTooLong) {
  const std::string longest(LineReader::kMostBytes, 'x');
  std::istringstream input(longest + "x\nnext\n" + longest + "\n" + longest + "xxx");
  LineReader lines(input);
  std::string line;
  EXPECT_EQ(lines.next(line), Outcome::too_long);
  EXPECT_EQ(lines.next(line), Outcome::line);
  EXPECT_EQ(line, "next");
  EXPECT_EQ(lines.next(line), Outcome::line);
  EXPECT_EQ(line, longest);
  EXPECT_EQ(lines.next(line), Outcome::too_long);
  EXPECT_EQ(lines.next(line), Outcome::end);
}

TEST(LineReader, IsRefusedWithWhatToDo) {
  const Json answer = Json::parse(refusal_of_long_line());
  EXPECT_TRUE(answer["id"].is_null());
  EXPECT_EQ(answer["error"]["kind"], "bad_request");
  EXPECT_NE(answer["error"]["message"].get<std::string>().find("longer than 64 MiB"), std::string::npos);
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  while (times-- > 0) all += text;
  return all;
}

TEST(WorkerRequests, AreReadWithinLimitsOfDepthAndNumber) {
  EXPECT_EQ(
      read_request(R"({"id": 1, "method": "m", "params": )" + repeated("{\"a\":", 30) + "1" + repeated("}", 31)).fault,
      "");
  const std::string many = R"({"method": "m", "params": {"a": [0)";
  EXPECT_EQ(read_request(many + repeated(",0", 1'000'000) + "]}}").fault, "");
  EXPECT_EQ(read_request(many + repeated(",0", 1 << 20) + "]}}").fault, "the line holds more than 1048576 values");
}

TEST(WorkerRequests, CostLittleHoweverTheyAreNested) {
  const std::size_t most = LineReader::kMostBytes;
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& line :
       {repeated("[", most), repeated("{\"a\":", most / 5), R"({"id": 1, "params": )" + repeated("[[],", most / 4)})
    EXPECT_EQ(read_request(line).fault, "the line is nested more than 32 levels deep");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes(1));
}

}  // namespace
}  // namespace scantune
