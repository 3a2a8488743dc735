#include "covering.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>

namespace scantune {
namespace {

constexpr int kCandidates = 60;  // rows that are compared for each row of a table

// A combination of values: for each factor an index, or kAny.
constexpr int kAny = -1;

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> parts;
  std::istringstream text(line);
  for (std::string part; std::getline(text, part, '\t');) parts.push_back(part);
  return parts;
}

// All sets of `strength` factors, ascending.
std::vector<std::vector<std::size_t>> factor_sets(std::size_t count, std::size_t strength) {
  std::vector<std::vector<std::size_t>> all;
  std::vector<std::size_t> set(strength);
  std::iota(set.begin(), set.end(), std::size_t{0});
  if (strength > count) return all;
  while (true) {
    all.push_back(set);
    std::size_t at = strength;
    while (at > 0 && set[at - 1] == count - strength + at - 1) --at;
    if (at == 0) return all;
    ++set[at - 1];
    for (std::size_t next = at; next < strength; ++next) set[next] = set[next - 1] + 1;
  }
}

// The combinations of values that occur, as bits: a combination is a number whose digits are the values.
class Combinations {
 public:
  Combinations(const std::vector<Factor>& factors, int strength)
      : factors_(factors), sets_(factor_sets(factors.size(), static_cast<std::size_t>(strength))) {
    for (const auto& set : sets_) {
      std::size_t size = 1;
      for (const std::size_t factor : set) size *= factors_[factor].values.size();
      bits_.emplace_back(size, false);
    }
  }

  const std::vector<std::vector<std::size_t>>& sets() const { return sets_; }
  std::vector<bool>& bits(std::size_t set) { return bits_[set]; }

  std::size_t index_of(std::size_t set, const DesignRow& row) const {
    std::size_t index = 0;
    for (const std::size_t factor : sets_[set])
      index = index * factors_[factor].values.size() + static_cast<std::size_t>(row[factor]);
    return index;
  }

  // The row that has the combination, and kAny elsewhere.
  DesignRow row_of(std::size_t set, std::size_t index) const {
    DesignRow row(factors_.size(), kAny);
    for (std::size_t at = sets_[set].size(); at-- > 0;) {
      const std::size_t factor = sets_[set][at], count = factors_[factor].values.size();
      row[factor] = static_cast<int>(index % count);
      index /= count;
    }
    return row;
  }

  std::string describe(std::size_t set, std::size_t index) const {
    const DesignRow row = row_of(set, index);
    std::string text;
    for (const std::size_t factor : sets_[set])
      text += (text.empty() ? "" : " + ") + factors_[factor].name + " " +
              factors_[factor].values[static_cast<std::size_t>(row[factor])];
    return text;
  }

 private:
  const std::vector<Factor>& factors_;
  std::vector<std::vector<std::size_t>> sets_;
  std::vector<std::vector<bool>> bits_;
};

// Calls `use` with every row whose factors range over their values where `ranges` says so, the others left at 0.
template <class Ranges, class Use>
void for_each_row(const std::vector<Factor>& factors, const Ranges& ranges, const Use& use) {
  DesignRow row(factors.size(), 0);
  while (true) {
    use(row);
    std::size_t at = factors.size();
    while (at > 0) {
      --at;
      if (!ranges(factors[at])) continue;
      if (++row[at] < static_cast<int>(factors[at].values.size())) break;
      row[at] = 0;
      if (at == 0) return;
    }
    if (at == 0 && (!ranges(factors[0]) || row[0] == 0)) return;
  }
}

// The legal rows, with free factors at 0.
std::vector<DesignRow> legal_rows(const std::vector<Factor>& factors, const std::function<bool(const DesignRow&)>& is) {
  std::vector<DesignRow> all;
  for_each_row(
      factors, [](const Factor& factor) { return !factor.is_free; },
      [&](const DesignRow& row) {
        if (is(row)) all.push_back(row);
      });
  return all;
}

// Marks the combinations that occur in legal rows; free factors have all values there.
void mark_legal(const std::vector<Factor>& factors, const std::vector<DesignRow>& legal, Combinations& combinations) {
  for (std::size_t set = 0; set < combinations.sets().size(); ++set) {
    const std::vector<std::size_t>& in_set = combinations.sets()[set];
    std::vector<bool>& bits = combinations.bits(set);
    for (const DesignRow& row : legal) bits[combinations.index_of(set, row)] = true;
    // Only value 0 of a free factor is marked until now.
    for (std::size_t index = 0; index < bits.size(); ++index) {
      DesignRow row = combinations.row_of(set, index);
      bool has_free = false;
      for (const std::size_t factor : in_set)
        if (factors[factor].is_free) {
          has_free = true;
          row[factor] = 0;
        }
      if (has_free && bits[combinations.index_of(set, row)]) bits[index] = true;
    }
  }
}

}  // namespace

Design::Design(std::string name, int strength, std::uint64_t seed, std::vector<Factor> factors,
               std::function<bool(const DesignRow&)> is_legal)
    : name_(std::move(name)),
      strength_(strength),
      seed_(seed),
      factors_(std::move(factors)),
      is_legal_(std::move(is_legal)) {}

std::vector<DesignRow> Design::rows() const {
  const std::string path = std::string(SCANTUNE_DESIGNS) + "/" + name_ + ".tsv";
  const auto wrong = [&](const std::string& what) {
    return std::runtime_error(path + " " + what + "; `make designs` writes it anew");
  };
  std::ifstream file(path);
  if (!file) throw wrong("cannot be read");
  std::vector<DesignRow> rows;
  bool has_head = false;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> parts = split(line);
    if (parts.size() < factors_.size()) throw wrong("has a short line: " + line);
    DesignRow row;
    for (std::size_t index = 0; index < factors_.size(); ++index) {
      const Factor& factor = factors_[index];
      if (!has_head) {
        if (parts[index] != factor.name) throw wrong("has " + parts[index] + " in place of " + factor.name);
        continue;
      }
      const auto found = std::ranges::find(factor.values, parts[index]);
      if (found == factor.values.end()) throw wrong("has the unknown " + factor.name + " " + parts[index]);
      row.push_back(static_cast<int>(found - factor.values.begin()));
    }
    if (!has_head) {
      if (parts.size() > factors_.size() + 1) throw wrong("has " + parts[factors_.size()] + ", which is no factor");
      has_head = true;
      continue;
    }
    if (!is_legal_(row)) throw wrong("has the illegal row " + describe(row));
    rows.push_back(row);
  }
  return rows;
}

std::vector<DesignRow> Design::drawn(std::size_t count, std::uint64_t seed) const {
  constexpr int kMostAttempts = 100'000;
  std::mt19937_64 random(seed);
  std::vector<DesignRow> rows;
  for (int attempt = 0; rows.size() < count && attempt < kMostAttempts; ++attempt) {
    DesignRow row;
    for (const Factor& factor : factors_) row.push_back(static_cast<int>(random() % factor.values.size()));
    if (is_legal_(row)) rows.push_back(row);
  }
  return rows;
}

std::vector<std::string> Design::gaps() const {
  Combinations legal(factors_, strength_), covered(factors_, strength_);
  mark_legal(factors_, legal_rows(factors_, is_legal_), legal);
  const std::vector<DesignRow> committed = rows();
  std::vector<std::string> all;
  for (std::size_t set = 0; set < legal.sets().size(); ++set) {
    for (const DesignRow& row : committed) covered.bits(set)[covered.index_of(set, row)] = true;
    for (std::size_t index = 0; index < legal.bits(set).size(); ++index)
      if (legal.bits(set)[index] && !covered.bits(set)[index]) all.push_back(legal.describe(set, index));
  }
  return all;
}

namespace {

// Searches rows one by one: each has a combination that no row has yet, and of some candidates the one with most such.
class Search {
 public:
  Search(const std::vector<Factor>& factors, int strength, std::uint64_t seed, std::vector<DesignRow> legal)
      : factors_(factors), legal_(std::move(legal)), wanted_(factors, strength), random_(seed) {
    mark_legal(factors_, legal_, wanted_);
    for (std::size_t set = 0; set < wanted_.sets().size(); ++set) left_.push_back(0);
    rows_with_.resize(factors_.size());
    for (std::size_t factor = 0; factor < factors_.size(); ++factor) {
      rows_with_[factor].resize(factors_[factor].values.size());
      if (factors_[factor].is_free) continue;
      for (std::size_t row = 0; row < legal_.size(); ++row)
        rows_with_[factor][static_cast<std::size_t>(legal_[row][factor])].push_back(row);
    }
  }

  // The next row and what it is the first to have; an empty row if there is none.
  DesignRow next(std::vector<std::string>& covers) {
    DesignRow part;
    for (std::size_t set = 0; set < wanted_.sets().size() && part.empty(); ++set)
      for (std::size_t index = left_[set]; index < wanted_.bits(set).size(); ++index) {
        left_[set] = index;
        if (wanted_.bits(set)[index]) {
          part = wanted_.row_of(set, index);
          break;
        }
        left_[set] = index + 1;
      }
    if (part.empty()) return part;
    DesignRow best;
    std::size_t most = 0;
    for (const std::size_t base : bases_of(part)) {
      DesignRow row = with_free_values(legal_[base], part);
      const std::size_t gain = gain_of(row);
      if (gain > most) {
        most = gain;
        best = row;
      }
    }
    for (std::size_t set = 0; set < wanted_.sets().size(); ++set) {
      const std::size_t index = wanted_.index_of(set, best);
      if (wanted_.bits(set)[index]) covers.push_back(wanted_.describe(set, index));
      wanted_.bits(set)[index] = false;
    }
    return best;
  }

 private:
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

  // Legal rows that have the part's values, drawn.
  std::vector<std::size_t> bases_of(const DesignRow& part) {
    const std::vector<std::size_t>* fewest = nullptr;
    for (std::size_t factor = 0; factor < part.size(); ++factor) {
      if (part[factor] == kAny || factors_[factor].is_free) continue;
      const auto& with = rows_with_[factor][static_cast<std::size_t>(part[factor])];
      if (fewest == nullptr || with.size() < fewest->size()) fewest = &with;
    }
    std::vector<std::size_t> fitting;
    const auto fits = [&](std::size_t row) {
      for (std::size_t factor = 0; factor < part.size(); ++factor)
        if (part[factor] != kAny && !factors_[factor].is_free && legal_[row][factor] != part[factor]) return false;
      return true;
    };
    if (fewest == nullptr) {
      for (int draw = 0; draw < kCandidates; ++draw) fitting.push_back(below(legal_.size()));
      return fitting;
    }
    for (const std::size_t row : *fewest)
      if (fits(row)) fitting.push_back(row);
    while (fitting.size() > static_cast<std::size_t>(kCandidates)) {
      std::swap(fitting[below(fitting.size())], fitting.back());
      if (fitting.size() > 40u * kCandidates)
        fitting.resize(fitting.size() / 2);  // of a drawn order only the front matters
      else
        fitting.pop_back();
    }
    return fitting;
  }

  DesignRow with_free_values(DesignRow row, const DesignRow& part) {
    for (std::size_t factor = 0; factor < row.size(); ++factor)
      if (factors_[factor].is_free)
        row[factor] = part[factor] != kAny ? part[factor] : static_cast<int>(below(factors_[factor].values.size()));
    for (std::size_t factor = 0; factor < row.size(); ++factor) {
      if (!factors_[factor].is_free || part[factor] != kAny) continue;
      int best = row[factor];
      std::size_t most = gain_of(row);
      for (int value = 0; value < static_cast<int>(factors_[factor].values.size()); ++value) {
        row[factor] = value;
        if (const std::size_t gain = gain_of(row); gain > most) {
          most = gain;
          best = value;
        }
      }
      row[factor] = best;
    }
    return row;
  }

  std::size_t gain_of(const DesignRow& row) {
    std::size_t gain = 0;
    for (std::size_t set = 0; set < wanted_.sets().size(); ++set) gain += wanted_.bits(set)[wanted_.index_of(set, row)];
    return gain;
  }

  const std::vector<Factor>& factors_;
  std::vector<DesignRow> legal_;
  Combinations wanted_;
  std::mt19937_64 random_;
  std::vector<std::size_t> left_;  // of each set the first combination that may be wanted
  std::vector<std::vector<std::vector<std::size_t>>> rows_with_;
};

// The first few of what a row covers, and how many there are.
std::string summary(const std::vector<std::string>& covers) {
  constexpr std::size_t kNamed = 2;
  std::string text = std::to_string(covers.size()) + ": ";
  for (std::size_t index = 0; index < std::min(kNamed, covers.size()); ++index)
    text += (index == 0 ? "" : ", ") + covers[index];
  return text + (covers.size() > kNamed ? ", ..." : "");
}

}  // namespace

bool Design::write_if_asked() const {
  const char* const folder = std::getenv("SCANTUNE_WRITE_DESIGNS");
  if (folder == nullptr) return false;
  std::ostringstream table;
  table << "# Every legal combination of " << strength_ << " values, by `make designs` from seed " << seed_
        << ". Last column: how many combinations a row is the first to have, and two of them.\n";
  for (const Factor& factor : factors_) table << factor.name << '\t';
  table << "covers\n";
  Search search(factors_, strength_, seed_, legal_rows(factors_, is_legal_));
  while (true) {
    std::vector<std::string> covers;
    const DesignRow row = search.next(covers);
    if (row.empty()) break;
    if (!is_legal_(row)) throw std::runtime_error(name_ + " would hold the illegal row " + describe(row));
    for (std::size_t factor = 0; factor < row.size(); ++factor)
      table << factors_[factor].values[static_cast<std::size_t>(row[factor])] << '\t';
    table << summary(covers) << '\n';
  }
  std::ofstream file(std::string(folder) + "/" + name_ + ".tsv");
  file << table.str();
  file.flush();
  if (!file) throw std::runtime_error("cannot write " + name_ + ".tsv into " + folder);
  return true;
}

const std::string& Design::value(const DesignRow& row, const std::string& factor) const {
  const auto found = std::ranges::find(factors_, factor, &Factor::name);
  if (found == factors_.end()) throw std::invalid_argument("the design " + name_ + " has no factor " + factor);
  return found->values[static_cast<std::size_t>(row[static_cast<std::size_t>(found - factors_.begin())])];
}

std::string Design::describe(const DesignRow& row) const {
  std::string text;
  for (std::size_t index = 0; index < factors_.size(); ++index)
    text += (index == 0 ? "" : ", ") + factors_[index].name + " " +
            factors_[index].values[static_cast<std::size_t>(row[index])];
  return text;
}

std::string Design::name_of(const DesignRow& row) const {
  std::string text;
  for (std::size_t index = 0; index < factors_.size(); ++index)
    text += (index == 0 ? "" : "_") + factors_[index].values[static_cast<std::size_t>(row[index])];
  for (char& letter : text)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return text;
}

}  // namespace scantune
