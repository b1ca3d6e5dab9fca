#include "samrule/instance.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <span>

#include "work.hpp"

namespace samrule {
namespace {

/// Swaps the upper right and the lower left j x j block of every 2j x 2j block on the diagonal.
template <std::size_t j>
void swap_blocks(Word* m) {
    constexpr Word low = ~Word{0} / ((Word{1} << j) + 1);  // j ones, j zeros, j ones, ...
    for (std::size_t block = 0; block < 64; block += 2 * j)
        for (std::size_t k = block; k < block + j; ++k) {
            const Word t = ((m[k] >> j) ^ m[k + j]) & low;
            m[k] ^= t << j;
            m[k + j] ^= t;
        }
}

/// Transposes a 64 x 64 bit matrix in place (Hacker's Delight, 7-3, in the variant with the
/// least significant bit first; the loops are such that compilers vectorize them).
void transpose_64(Word* m) {
    swap_blocks<32>(m);
    swap_blocks<16>(m);
    swap_blocks<8>(m);
    swap_blocks<4>(m);
    swap_blocks<2>(m);
    swap_blocks<1>(m);
}

Word mixed(Word h, Word v) {
    h = (h ^ v) * 0x9E3779B97F4A7C15ULL;
    return h ^ (h >> 32);
}

Word hash_words(const Word* words, std::size_t n) {
    Word h = 0x2545F4914F6CDD1DULL;
    for (std::size_t k = 0; k < n; ++k) h = mixed(h, words[k]);
    return mixed(h, n);
}

/// The rows as packed keys: row after row, words_for(n_columns) words each.
std::vector<Word> row_keys(const Table& table, std::size_t key_words) {
    std::vector<Word> keys(table.n_rows * key_words, 0);
    Word block[64];
    for (std::size_t w = 0; w < table.words(); ++w) {
        const std::size_t n_rows = std::min<std::size_t>(64, table.n_rows - w * 64);
        for (std::size_t part = 0; part < key_words; ++part) {
            const std::size_t n_columns = std::min<std::size_t>(64, table.n_columns - part * 64);
            for (std::size_t j = 0; j < 64; ++j)
                block[j] = j < n_columns ? table.column(part * 64 + j)[w] : 0;
            transpose_64(block);
            for (std::size_t r = 0; r < n_rows; ++r)
                keys[(w * 64 + r) * key_words + part] = block[r];
        }
    }
    return keys;
}

/// What rows of one class weigh in one group of equal rows.
struct ClassPart {
    std::uint32_t group;
    std::int64_t weight;
};

/// Distinct rows, by the row that represents each, and their class weights. Only classes that a
/// group holds are there: groups x classes could be far more than rows.
struct Groups {
    std::vector<std::uint32_t> row;
    std::vector<ClassPart> parts;     ///< class after class
    std::vector<std::size_t> starts;  ///< where the parts of each class begin, and the end
};

/// Would merging at least halve the rows? Judged from the collisions among a few rows spread
/// over the table (the birthday estimate of the number of distinct rows).
bool worth_merging(const Table& table) {
    constexpr std::size_t n_probes = 4096;
    const std::size_t n_rows = table.n_rows;
    if (n_rows <= 16 * n_probes) return true;
    std::vector<Word> hashes(n_probes);
    for (std::size_t k = 0; k < n_probes; ++k) {
        // A fixed odd multiplier spreads the probes; no randomness, so the answer is repeatable.
        const std::size_t row = (k * 0x9E3779B97F4A7C15ULL >> 11) % n_rows;
        for (std::size_t j = 0; j < table.n_columns; ++j)
            hashes[k] = mixed(hashes[k], (table.column(j)[row / 64] >> (row % 64)) & 1);
    }
    std::sort(hashes.begin(), hashes.end());
    double equal_pairs = 0;
    for (std::size_t k = 0, run = 1; k < n_probes; ++k, ++run)
        if (k + 1 == n_probes || hashes[k + 1] != hashes[k]) {
            equal_pairs += 0.5 * static_cast<double>(run) * static_cast<double>(run - 1);
            run = 0;
        }
    const double n = n_probes;
    return equal_pairs * static_cast<double>(n_rows) > n * (n - 1);
}

/// What the weight of a class is multiplied by.
std::int64_t factor_of(const InstanceOptions& options, std::size_t klass) {
    return options.class_factors.empty() ? 1 : options.class_factors[klass];
}

/// Adds up weights by class and group, given the group of each row. O(rows + groups + classes).
void add_parts(const Table& table, const InstanceOptions& options,
               std::span<const std::uint32_t> group_of, Groups& groups) {
    const auto n_classes = static_cast<std::size_t>(table.n_classes);
    std::vector<std::size_t> ends(n_classes + 1, 0);
    for (const std::int32_t label : table.labels) ++ends[static_cast<std::size_t>(label) + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<std::uint32_t> by_class(table.n_rows);
    std::vector<std::size_t> next(ends.begin(), ends.end() - 1);
    for (std::size_t row = 0; row < table.n_rows; ++row)
        by_class[next[static_cast<std::size_t>(table.labels[row])]++] =
            static_cast<std::uint32_t>(row);

    constexpr std::size_t none = SIZE_MAX;
    std::vector<std::size_t> part_of(groups.row.size(), none);
    for (std::size_t c = 0; c < n_classes; ++c) {
        const std::size_t first = groups.parts.size();
        groups.starts.push_back(first);
        for (std::size_t k = ends[c]; k < ends[c + 1]; ++k) {
            const std::uint32_t group = group_of[by_class[k]];
            if (part_of[group] == none || part_of[group] < first) {
                part_of[group] = groups.parts.size();
                groups.parts.push_back({group, 0});
            }
            groups.parts[part_of[group]].weight +=
                table.weight(by_class[k]) * factor_of(options, c);
        }
    }
    groups.starts.push_back(groups.parts.size());
}

Groups every_row(const Table& table, const InstanceOptions& options) {
    Groups groups;
    groups.row.resize(table.n_rows);
    std::iota(groups.row.begin(), groups.row.end(), 0U);
    add_parts(table, options, groups.row, groups);
    return groups;
}

Groups merge_rows(const Table& table, const InstanceOptions& options, std::span<const Word> keys,
                  std::size_t key_words) {
    Groups groups;
    const std::size_t slots = std::bit_ceil(2 * table.n_rows + 1);
    constexpr std::uint32_t empty = UINT32_MAX;
    std::vector<std::uint32_t> index(slots, empty), group_of(table.n_rows);
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        const Word* key = keys.data() + row * key_words;
        std::size_t slot = hash_words(key, key_words) & (slots - 1);
        while (index[slot] != empty &&
               !std::equal(key, key + key_words, keys.data() + groups.row[index[slot]] * key_words))
            slot = (slot + 1) & (slots - 1);
        if (index[slot] == empty) {
            index[slot] = static_cast<std::uint32_t>(groups.row.size());
            groups.row.push_back(static_cast<std::uint32_t>(row));
        }
        group_of[row] = index[slot];
    }
    add_parts(table, options, group_of, groups);
    return groups;
}

/// Takes off what every rule list must pay and returns it: the least class weight of each group
/// that holds all classes.
std::int64_t subtract_unavoidable(Groups& groups, std::size_t n_classes) {
    std::vector<std::int64_t> least(groups.row.size(), INT64_MAX);
    std::vector<std::uint32_t> n_held(groups.row.size(), 0);
    for (const ClassPart& part : groups.parts) {
        least[part.group] = std::min(least[part.group], part.weight);
        ++n_held[part.group];
    }
    std::int64_t errors = 0;
    for (std::size_t g = 0; g < groups.row.size(); ++g) {
        if (n_held[g] < n_classes) least[g] = 0;
        errors += least[g] * static_cast<std::int64_t>(n_classes - 1);
    }
    for (ClassPart& part : groups.parts) part.weight -= least[part.group];
    return errors;
}

/// A segment costs a little however few its slots, so the few of a top plane are better put
/// twice into the plane below.
void demote_small_planes(std::vector<std::vector<std::uint32_t>>& planes) {
    constexpr std::size_t few = 128;
    while (planes.size() > 1 && planes.back().size() <= few) {
        const std::vector<std::uint32_t> top = std::move(planes.back());
        planes.pop_back();
        for (const std::uint32_t group : top) planes.back().insert(planes.back().end(), 2, group);
    }
}

/// What the weights of one class are counted in, 1 and then others: a weight takes a slot for each
/// bit of its multiple of one of them. So a weight that many parts have, such as that of their
/// class, takes one slot, and twice as much does too. Each has to spare more slots than a segment
/// costs.
std::vector<std::int64_t> bases_of(std::span<const ClassPart> parts) {
    constexpr std::size_t worth_a_segment = 512, most_bases = 8;
    std::vector<std::int64_t> weights;
    for (const ClassPart& part : parts) weights.push_back(part.weight);
    std::sort(weights.begin(), weights.end());
    struct Spared {
        std::size_t n_slots;
        std::int64_t weight;
    };
    std::vector<Spared> spared;
    for (std::size_t first = 0, k = 0; k < weights.size(); ++k) {
        if (k + 1 < weights.size() && weights[k + 1] == weights[first]) continue;
        const auto n_bits =
            static_cast<std::size_t>(std::popcount(static_cast<std::uint64_t>(weights[first])));
        if (n_bits > 1 && (n_bits - 1) * (k + 1 - first) >= worth_a_segment)
            spared.push_back({(n_bits - 1) * (k + 1 - first), weights[first]});
        first = k + 1;
    }
    std::sort(spared.begin(), spared.end(), [](const Spared& a, const Spared& b) {
        return a.n_slots != b.n_slots ? a.n_slots > b.n_slots : a.weight < b.weight;
    });
    std::vector<std::int64_t> bases{1};
    for (const Spared& one : spared)
        if (bases.size() < most_bases) bases.push_back(one.weight);
    return bases;
}

/// The base in whose multiples the weight takes fewest slots.
std::size_t best_base(std::int64_t weight, const std::vector<std::int64_t>& bases) {
    std::size_t best = 0;
    int fewest = std::popcount(static_cast<std::uint64_t>(weight));
    for (std::size_t b = 1; b < bases.size(); ++b) {
        if (weight % bases[b] != 0) continue;
        const int n_slots = std::popcount(static_cast<std::uint64_t>(weight / bases[b]));
        if (n_slots >= fewest) continue;
        fewest = n_slots;
        best = b;
    }
    return best;
}

/// Sorts groups into segments; returns the group in each slot, segment after segment.
std::vector<std::vector<std::uint32_t>> plan_segments(const Groups& groups, Instance& instance) {
    const auto n_classes = static_cast<std::size_t>(instance.n_classes);
    std::vector<std::vector<std::uint32_t>> members;
    instance.class_weight.assign(n_classes, 0);
    std::uint32_t first_word = 0;
    for (std::size_t c = 0; c < n_classes; ++c) {
        const auto parts = std::span(groups.parts)
                               .subspan(groups.starts[c], groups.starts[c + 1] - groups.starts[c]);
        const std::vector<std::int64_t> bases = bases_of(parts);
        std::vector<std::vector<std::vector<std::uint32_t>>> planes(bases.size());
        for (const ClassPart& part : parts) {
            instance.class_weight[c] += part.weight;
            const std::size_t b = best_base(part.weight, bases);
            std::size_t plane = 0;
            for (std::int64_t left = part.weight / bases[b]; left != 0; left >>= 1, ++plane) {
                if (plane == planes[b].size()) planes[b].emplace_back();
                if (left & 1) planes[b][plane].push_back(part.group);
            }
        }
        for (std::size_t b = 0; b < bases.size(); ++b) {
            demote_small_planes(planes[b]);
            for (std::size_t plane = 0; plane < planes[b].size(); ++plane) {
                if (planes[b][plane].empty()) continue;
                const auto n_slots = static_cast<std::uint32_t>(planes[b][plane].size());
                const auto n_words = static_cast<std::uint32_t>(words_for(n_slots));
                instance.segments.push_back({static_cast<std::int32_t>(c),
                                             static_cast<std::int32_t>(bases[b] << plane),
                                             first_word, n_words, n_slots});
                members.push_back(std::move(planes[b][plane]));
                first_word += n_words;
            }
        }
    }
    instance.words = first_word;
    return members;
}

/// The base conditions as bitsets over slots: 64 row keys are transposed at a time.
std::vector<Word> slot_columns(const Table& table, std::span<const Word> keys,
                               std::size_t key_words, const Groups& groups,
                               const std::vector<std::vector<std::uint32_t>>& members,
                               const Instance& instance) {
    std::vector<Word> columns(table.n_columns * instance.words, 0);
    Word block[64];
    for (std::size_t s = 0; s < instance.segments.size(); ++s) {
        const Segment& segment = instance.segments[s];
        for (std::size_t w = 0; w < segment.n_words; ++w) {
            const std::size_t n_slots = std::min<std::size_t>(64, segment.n_slots - w * 64);
            for (std::size_t part = 0; part < key_words; ++part) {
                for (std::size_t k = 0; k < 64; ++k)
                    block[k] = k < n_slots
                                   ? keys[groups.row[members[s][w * 64 + k]] * key_words + part]
                                   : 0;
                transpose_64(block);
                const std::size_t n = std::min<std::size_t>(64, table.n_columns - part * 64);
                for (std::size_t j = 0; j < n; ++j)
                    columns[(part * 64 + j) * instance.words + segment.first_word + w] = block[j];
            }
        }
    }
    return columns;
}

/// Whether the base conditions over the slots that were planned fit into memory; every class has
/// words of its own, so many classes may take far more than the table.
bool fits(const Table& table, const InstanceOptions& options, const Instance& instance) {
    if (table.n_columns * instance.words <= options.memory_limit / sizeof(Word)) return true;
    if (options.stop != nullptr) options.stop->raise(Status::memory_limit);
    return false;
}

bool is_stopped(const InstanceOptions& options) {
    return options.stop != nullptr && options.stop->raised();
}

/// The base conditions over slots that stand for all rows with equal conditions; nothing if they
/// do not fit into memory, or there is no time.
std::optional<std::vector<Word>> merged_columns(const Table& table, bool merging,
                                                const InstanceOptions& options,
                                                Instance& instance) {
    const std::size_t key_words = words_for(table.n_columns);
    const std::vector<Word> keys = row_keys(table, key_words);
    if (is_stopped(options)) return std::nullopt;
    Groups groups =
        merging ? merge_rows(table, options, keys, key_words) : every_row(table, options);
    if (is_stopped(options)) return std::nullopt;
    if (options.subtract_unavoidable)
        instance.unavoidable_errors =
            subtract_unavoidable(groups, static_cast<std::size_t>(table.n_classes));
    const auto members = plan_segments(groups, instance);
    if (!fits(table, options, instance)) return std::nullopt;
    return slot_columns(table, keys, key_words, groups, members, instance);
}

/// The base conditions over one slot per row, where rows hardly repeat and weigh the same: then
/// sorting them by class is all there is to do. For few classes: each takes a pass, and a bit per
/// row.
std::optional<std::vector<Word>> split_by_class(const Table& table, const InstanceOptions& options,
                                                Instance& instance) {
    const Kernels& kernels = *find_kernels("");  // which one does not change the result
    const auto n_classes = static_cast<std::size_t>(table.n_classes);
    const std::size_t words = table.words();
    std::vector<Word> of_class(n_classes * words, 0);
    for (std::size_t row = 0; row < table.n_rows; ++row)
        of_class[static_cast<std::size_t>(table.labels[row]) * words + row / 64] |= Word{1}
                                                                                    << (row % 64);
    instance.class_weight.assign(n_classes, 0);
    for (std::size_t c = 0; c < n_classes; ++c) {
        const Word* rows = of_class.data() + c * words;
        const std::int64_t n_slots = kernels.count_and(rows, rows, words);
        const std::int64_t weight = factor_of(options, c);
        instance.class_weight[c] = n_slots * weight;
        if (instance.class_weight[c] == 0) continue;
        const auto n_words =
            static_cast<std::uint32_t>(words_for(static_cast<std::size_t>(n_slots)));
        instance.segments.push_back({static_cast<std::int32_t>(c),
                                     static_cast<std::int32_t>(weight),
                                     static_cast<std::uint32_t>(instance.words), n_words,
                                     static_cast<std::uint32_t>(n_slots)});
        instance.words += n_words;
    }
    if (!fits(table, options, instance)) return std::nullopt;
    std::vector<Word> columns(table.n_columns * instance.words);
    std::vector<const Word*> sources(table.n_columns);
    std::vector<Word*> targets(table.n_columns);
    for (const Segment& s : instance.segments) {
        for (std::size_t j = 0; j < table.n_columns; ++j) {
            sources[j] = table.column(j);
            targets[j] = columns.data() + j * instance.words + s.first_word;
        }
        kernels.compact(sources.data(), table.n_columns,
                        of_class.data() + static_cast<std::size_t>(s.klass) * words, words,
                        targets.data(), 1);
    }
    return columns;
}

/// Sets of slots by what they hold, for candidates that select the same slots or exactly the
/// others.
///
/// The hash is linear in the halves of words, each taken as a number: hash = sum of half * factor.
/// A set and its complement have no slot in common, so their numbers and hashes add up to those of
/// all slots: the hash of a complement needs no look at it.
class SetIndex {
  public:
    explicit SetIndex(std::size_t words) : factors_(2 * words), slots_(64) {
        Word state = 0x2545F4914F6CDD1DULL;
        for (std::uint32_t& factor : factors_) {
            state = mixed(state, factors_.size());
            factor = static_cast<std::uint32_t>(state >> 16) | 1;
        }
    }

    Word hash(const Word* set) const {
        Word sum = 0;
        for (std::size_t k = 0; k < factors_.size() / 2; ++k) {
            sum += Word{static_cast<std::uint32_t>(set[k])} * factors_[2 * k];
            sum += Word{static_cast<std::uint32_t>(set[k] >> 32)} * factors_[2 * k + 1];
        }
        return sum;
    }

    /// Adds the candidate with the next number.
    void add(Word hash) {
        hashes_.push_back(hash);
        if (2 * hashes_.size() > slots_.size())
            grow();
        else
            put(static_cast<std::uint32_t>(hashes_.size() - 1));
    }

    /// Calls look(candidate) for those that have the hash, until it returns true; whether it did.
    template <class Look>
    bool find(Word hash, const Look& look) const {
        for (std::size_t slot = first_slot(hash); slots_[slot] != 0; slot = next_slot(slot)) {
            const std::uint32_t candidate = slots_[slot] - 1;
            if (hashes_[candidate] == hash && look(candidate)) return true;
        }
        return false;
    }

    Word hash_of(std::size_t candidate) const { return hashes_[candidate]; }

    /// Forgets all candidates but the first n.
    void keep_first(std::size_t n) {
        hashes_.resize(n);
        fill();
    }

  private:
    std::size_t first_slot(Word hash) const { return mixed(hash, 0) & (slots_.size() - 1); }
    std::size_t next_slot(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

    void put(std::uint32_t candidate) {
        std::size_t slot = first_slot(hashes_[candidate]);
        while (slots_[slot] != 0) slot = next_slot(slot);
        slots_[slot] = candidate + 1;
    }
    void grow() {
        slots_.resize(4 * slots_.size());
        fill();
    }
    void fill() {
        std::fill(slots_.begin(), slots_.end(), 0);
        for (std::uint32_t i = 0; i < hashes_.size(); ++i) put(i);
    }

    std::vector<std::uint32_t> factors_;
    std::vector<Word> hashes_;          ///< of each candidate
    std::vector<std::uint32_t> slots_;  ///< a candidate's number + 1; 0 if empty
};

/// Collects candidates, keeping the first of those that select the same slots.
class CandidateCollector {
  public:
    CandidateCollector(Instance& instance, const InstanceOptions& options)
        : instance_(instance), options_(options), index_(instance.words) {
        for (const Segment& segment : instance.segments) n_slots_ += segment.n_slots;
    }

    /// Makes room for so many more: memory that is not touched costs nothing, while bits that have
    /// to move once there are more than expected are most of the time that making them takes.
    void expect(std::size_t n_more) {
        constexpr std::size_t most_bytes = std::size_t{1} << 28;
        const std::size_t n = instance_.n_candidates() + n_more;
        const std::size_t most = std::min(most_bytes, options_.memory_limit) / sizeof(Word);
        instance_.bits.reserve(
            n < most / std::max<std::size_t>(instance_.words, 1) ? n * instance_.words : most);
    }

    /// False if there is no room for it.
    bool add(const Word* bits, const Terms& terms) {
        const std::size_t words = instance_.words;
        const auto selected = static_cast<std::size_t>(kernels_.count_and(bits, bits, words));
        if (selected == 0 || selected == n_slots_) return true;
        const Word hash = index_.hash(bits);
        const bool is_known = index_.find(hash, [&](std::size_t i) {
            return std::equal(bits, bits + words, instance_.candidate(i)) &&
                   asks_about(terms, instance_.terms[i]);
        });
        if (is_known) return true;
        if ((instance_.bits.size() + words) * sizeof(Word) > options_.memory_limit) return false;
        index_.add(hash);
        instance_.terms.push_back(terms);
        instance_.bits.insert(instance_.bits.end(), bits, bits + words);
        return true;
    }

    /// Whether some terms ask about all columns that others ask about, if columns matter.
    bool asks_about(const Terms& some, const Terms& others) const {
        if (options_.column_of.empty()) return true;
        const auto column = [&](std::int32_t term) {
            return options_.column_of[static_cast<std::size_t>(term)];
        };
        return std::all_of(others.begin(), others.end(), [&](std::int32_t other) {
            return std::any_of(some.begin(), some.end(),
                               [&](std::int32_t one) { return column(one) == column(other); });
        });
    }

    /// Forgets all candidates but the first n.
    void keep_first(std::size_t n) {
        index_.keep_first(n);
        instance_.terms.resize(n);
        instance_.bits.resize(n * instance_.words);
        instance_.bits.shrink_to_fit();
    }

    /// Pairs each candidate with one that selects exactly the other slots. Where several select the
    /// same, as they may if columns matter, each is in one pair at most.
    void find_complements() {
        std::vector<Word> all(instance_.words);
        for (const Segment& s : instance_.segments)
            for (std::size_t w = 0; w < s.n_words; ++w)
                all[s.first_word + w] = low_bits(s.n_slots - w * bits_per_word);
        const Word hash_of_all = index_.hash(all.data());
        instance_.complement.assign(instance_.n_candidates(), -1);
        for (std::size_t i = 0; i < instance_.n_candidates(); ++i) {
            if (instance_.complement[i] >= 0) continue;
            std::size_t least = instance_.n_candidates();
            index_.find(hash_of_all - index_.hash_of(i), [&](std::size_t j) {
                if (instance_.complement[j] < 0 && are_complements(i, j, all))
                    least = std::min(least, j);
                return false;
            });
            if (least == instance_.n_candidates()) continue;
            instance_.complement[i] = static_cast<std::int32_t>(least);
            instance_.complement[least] = static_cast<std::int32_t>(i);
        }
    }

  private:
    /// Whether each slot of `all` is in exactly one of two candidates.
    bool are_complements(std::size_t i, std::size_t j, const std::vector<Word>& all) const {
        const Word *a = instance_.candidate(i), *b = instance_.candidate(j);
        for (std::size_t k = 0; k < all.size(); ++k)
            if ((a[k] ^ b[k]) != all[k]) return false;
        return true;
    }

    const Kernels& kernels_ = *find_kernels("");  // which one does not change the result
    Instance& instance_;
    const InstanceOptions& options_;
    std::size_t n_slots_ = 0;
    SetIndex index_;
};

/// Makes the conjunctions of two conditions, of three, and so on.
class ConjunctionMaker {
  public:
    ConjunctionMaker(const std::vector<Word>& columns, std::size_t n_columns,
                     const InstanceOptions& options, CandidateCollector& collector,
                     Instance& instance)
        : columns_(columns),
          n_columns_(n_columns),
          options_(options),
          collector_(collector),
          instance_(instance) {}

    void operator()() {
        const auto limit = static_cast<double>(options_.work_limit);
        std::size_t first = 0;
        for (double kept_for_longer = 0.5; instance_.max_terms < options_.max_terms;
             kept_for_longer /= 2) {
            const std::size_t last = instance_.n_candidates();
            const std::size_t n_longer = count_longer(first);
            const std::uint64_t work = operations(Work::packed_word, n_longer * instance_.words) +
                                       operations(Work::candidate, n_longer);
            if (static_cast<double>(spent_ + work) > (1 - kept_for_longer) * limit)
                instance_.missing = Status::work_limit;
            else if (collector_.expect(n_longer); !add_longer(first, last))
                collector_.keep_first(last);
            if (instance_.missing != Status::optimal) return;
            spent_ += work;
            if (options_.stop != nullptr) options_.stop->charge(work);
            ++instance_.max_terms;
            first = last;
        }
    }

  private:
    /// Conjunctions one term longer than those from `first` on, before any is left out.
    std::size_t count_longer(std::size_t first) const {
        std::size_t n = 0;
        for (std::size_t i = first; i < instance_.n_candidates(); ++i)
            n += n_columns_ - static_cast<std::size_t>(instance_.terms[i].back()) - 1;
        return n;
    }

    /// Conjunctions one term longer than those in [first, last), in order of their indices. False
    /// if there is no room for all of them, or no time.
    ///
    /// Extending only kept candidates, and only by later conditions, loses nothing: if a prefix of
    /// a conjunction was dropped for an equal earlier one, the conjunction equals an earlier one
    /// too, which asks about no other columns if that one did not.
    bool add_longer(std::size_t first, std::size_t last) {
        std::vector<Word> both(instance_.words);
        for (std::size_t i = first; i < last; ++i) {
            Terms longer = instance_.terms[i];
            longer.push_back(0);
            for (auto j = static_cast<std::size_t>(instance_.terms[i].back()) + 1; j < n_columns_;
                 ++j) {
                for (std::size_t k = 0; k < instance_.words; ++k)
                    both[k] = instance_.candidate(i)[k] & columns_[j * instance_.words + k];
                longer.back() = static_cast<std::int32_t>(j);
                if (is_stopped(options_))
                    instance_.missing = options_.stop->reason();
                else if (!collector_.add(both.data(), longer))
                    instance_.missing = Status::memory_limit;
                if (instance_.missing != Status::optimal) return false;
            }
        }
        return true;
    }

    const std::vector<Word>& columns_;
    const std::size_t n_columns_;
    const InstanceOptions& options_;
    CandidateCollector& collector_;
    Instance& instance_;
    std::uint64_t spent_ = 0;
};

}  // namespace

bool build_instance(const Table& table, const InstanceOptions& options, Instance& instance) {
    instance = Instance{};
    instance.n_classes = table.n_classes;
    const bool merging = worth_merging(table);
    constexpr std::int32_t few_classes = 64;
    const bool splitting = !merging && table.weights.empty() && table.n_classes <= few_classes;
    const auto found = splitting ? split_by_class(table, options, instance)
                                 : merged_columns(table, merging, options, instance);
    if (!found) return false;
    const std::vector<Word>& columns = *found;

    CandidateCollector collector(instance, options);
    for (std::size_t j = 0; j < table.n_columns; ++j)
        if (!collector.add(columns.data() + j * instance.words, {static_cast<std::int32_t>(j)})) {
            if (options.stop != nullptr) options.stop->raise(Status::memory_limit);
            return false;
        }
    instance.max_terms = 1;
    if (options.stop != nullptr)
        options.stop->charge(
            operations(Work::packed_word, table.n_columns * (table.words() + instance.words)));
    ConjunctionMaker(columns, table.n_columns, options, collector, instance)();
    collector.find_complements();
    return true;
}

}  // namespace samrule
