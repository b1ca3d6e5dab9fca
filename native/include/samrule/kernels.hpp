/// The inner loops, compiled once per instruction set and chosen at run time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "samrule/bits.hpp"

namespace samrule {

/// A run of row slots of one class, each slot worth `weight`.
///
/// Rows are sorted by class and by what they weigh, or split into the bit planes of that, so a
/// weighted class count is a sum of multiplied popcounts and no label is ever masked.
struct Segment {
    std::int32_t klass;
    std::int32_t weight;
    std::uint32_t first_word;
    std::uint32_t n_words;
    std::uint32_t n_slots;
};

/// Columns that are counted with each other lie in groups: word w of column j is word
/// (j / group_size * words + w) * group_size + j % group_size, so that one word of a whole group is
/// read at once.
inline constexpr std::size_t group_size = 8;

/// The words of a set of rows that are not empty, so that those of a small set are counted quickly.
struct SparseWords {
    /// Those of one segment: [first, last).
    struct Run {
        std::int32_t klass;
        std::int32_t weight;
        std::uint32_t first;
        std::uint32_t last;
    };
    std::vector<Word> word;
    std::vector<std::uint32_t> place;  ///< each word's number
    std::vector<Run> runs;
};

/// What the pair and triple scans read: rows of the pair table of one subproblem, one pointer
/// per class. `n` is a multiple of `scan_lanes`; padding entries are zero counts.
inline constexpr std::size_t scan_lanes = 16;

template <class Count>
struct PairScan {
    std::size_t n;               ///< padded number of conditions
    std::int32_t n_classes;      ///< classes
    const Count* const* single;  ///< single[c][j]: class-c weight of condition j
    const Count* const* with_i;  ///< with_i[c][j]: class-c weight of i and j together
    const Count* rest;           ///< rest[c]: class-c weight left by i
};

/// Two rules i and j in either order, and what they leave to one more rule. Costs are errors, or
/// anything else in units of weight.
template <class Count, class Value = Count>
struct OrderScan {
    std::size_t n;
    std::int32_t n_classes;
    const Count* const* single;
    const Count* const* with_i;
    const Count* i_weight;   ///< i_weight[c]: class-c weight of i
    const Value* costs;      ///< costs[j]: what j costs as first rule
    const Value* after_one;  ///< after_one[j]: least cost of one rule and a default after j
    Value i_cost;
    Value i_after_one;
    std::size_t i;  ///< only j > i are wanted
};

template <class Value>
struct OrderCosts {
    Value* i_first;  ///< cost of i, then j
    Value* j_first;  ///< cost of j, then i
    Value* rest;     ///< lower bound on the cost of one more rule and a default after both
    Value* total;    ///< the cheaper order and the rest together
};

template <class Count>
struct TripleScan {
    std::size_t n;
    std::int32_t n_classes;
    const Count* const* single;
    const Count* const* with_i;
    const Count* const* with_j;
    const Count* i_weight;   ///< i_weight[c]: class-c weight of i
    const Count* j_weight;   ///< j_weight[c]: class-c weight of j
    const Count* ij_weight;  ///< ij_weight[c]: class-c weight of i and j together
    const Count* rest;       ///< rest[c]: class-c weight left by i and j
};

/// Where an ordered column is cut. Together at most `most_cuts`.
template <class T>
struct Cuts {
    std::span<const T> at_least;  ///< cuts met by values of at least this
    std::span<const T> above;     ///< cuts met by greater values alone
};

inline constexpr std::size_t most_cuts = 254;

/// codes[i] = 0 if values[i] is NaN, else 1 + the number of cuts it meets.
template <class T>
using Bin = void (*)(const T* values, std::size_t n, const Cuts<T>& cuts, std::uint8_t* codes);

/// One version per type of value a column may hold.
struct BinKernels {
    Bin<std::int8_t> int8;
    Bin<std::int16_t> int16;
    Bin<std::int32_t> int32;
    Bin<std::int64_t> int64;
    Bin<std::uint8_t> uint8;
    Bin<std::uint16_t> uint16;
    Bin<std::uint32_t> uint32;
    Bin<std::uint64_t> uint64;
    Bin<float> float32;
    Bin<double> float64;
};

/// The one for values of type T.
template <class T>
Bin<T> bin_of(const BinKernels& bin) {
    if constexpr (std::is_same_v<T, std::int8_t>) return bin.int8;
    if constexpr (std::is_same_v<T, std::int16_t>) return bin.int16;
    if constexpr (std::is_same_v<T, std::int32_t>) return bin.int32;
    if constexpr (std::is_same_v<T, std::int64_t>) return bin.int64;
    if constexpr (std::is_same_v<T, std::uint8_t>) return bin.uint8;
    if constexpr (std::is_same_v<T, std::uint16_t>) return bin.uint16;
    if constexpr (std::is_same_v<T, std::uint32_t>) return bin.uint32;
    if constexpr (std::is_same_v<T, std::uint64_t>) return bin.uint64;
    if constexpr (std::is_same_v<T, float>) return bin.float32;
    if constexpr (std::is_same_v<T, double>) return bin.float64;
}

/// What two rules a and b after a first one i can lead to, before anything is counted on the rows
/// that i leaves: only pair counts on all rows are known.
template <class Count, class Value = Count>
struct SurveyScan {
    std::size_t n;
    std::int32_t n_classes;
    const Count* const* single;
    const Count* const* with_i;
    const Count* const* with_a;
    const Count* i_weight;   ///< i_weight[c]: class-c weight of i
    const Count* a_weight;   ///< a_weight[c]: class-c weight of a
    const Count* ia_weight;  ///< ia_weight[c]: class-c weight of i and a together
    const Count* rest;       ///< rest[c]: class-c weight left by i and a
    const Value* costs;      ///< costs[b]: what b costs after i
    const Value* after_one;  ///< after_one[b]: lower bound on the cost of one rule after i and b
    const Value* at_least;   ///< at_least[b]: what totals with b are raised to
    Value a_cost;
    Value a_after_one;
    std::size_t a;  ///< only b > a are wanted
};

template <class Value>
struct SurveyCosts {
    Value* first_two;  ///< lower bound on the cost of a and b after i, in either order
    Value* rest;       ///< lower bound on the cost of one more rule and a default
};

/// What a group of rows costs, in units of weight and roughly: see Pricing, and RoughScans for how
/// far it may be off.
struct RoughPrice {
    /// costs[k * n_classes + c]: of a row of class c where k is predicted. With more than two
    /// classes it may be null: then `error` for every class but k.
    const float* costs;
    const float* steps;  ///< steps[c]: the most that a row of class c can cost
    float error;
    float brier;  ///< share of the Brier score
};

/// Rule i and each of some others, l, at any price of a group. Two classes.
template <class Count>
struct CouplePriceScan {
    std::size_t n;                      ///< a multiple of `scan_lanes`
    const std::int32_t* const* single;  ///< single[c][l]: class-c weight of l
    const Count* const* shared;         ///< shared[c][l]: class-c weight of i and l together
    const float* costs;                 ///< costs[l]: what l costs as first rule
    const std::int32_t* i_weight;       ///< i_weight[c]: class-c weight of i
    const std::int32_t* rest;           ///< rest[c]: class-c weight left by i; null: no default
    float i_cost;
};

/// Rules that are scanned together as third ones.
inline constexpr std::size_t third_lanes = 8;

/// Rules l after two sets of rows i and j, at any price of a group. Two classes.
template <class Count>
struct ThirdPriceScan {
    std::size_t n_blocks;
    const std::uint32_t* blocks;        ///< rules from `third_lanes` times this on
    const std::int32_t* const* single;  ///< single[c][l]: class-c weight of l
    const Count* const* with_i;         ///< with_i[c][l]: class-c weight of i and l together
    const Count* const* with_j;
    const std::int32_t* i_only;  ///< i_only[c]: class-c weight of i without j
    const std::int32_t* j_only;
    const std::int32_t* both;  ///< both[c]: class-c weight of i and j together
    const std::int32_t* rest;  ///< rest[c]: class-c weight left by i and j
    float room;                ///< rules that cost as much are of no use
};

/// What such a scan found: the least cost, and how many blocks have a rule that is of use.
struct OpenThirds {
    float least;
    std::size_t n_blocks;
};

/// How rule l can stand beside rule i in a list of three whose default is the second of two
/// classes ("negative"); a, b, c are the rules in their order, and a digit says whether a rule
/// predicts the positive class.
enum class Role {
    both_111,  ///< any two of three positive rules
    b_a_011,   ///< i is b, l is a
    b_c_011,   ///< i and l are b and c
    a_b_101,   ///< i is a, l is b
    a_c_101,   ///< i is a, l is c
    c_b_101,   ///< i is c, l is b
    a_b_001,   ///< i and l are a and b
    c_a_001,   ///< i is c, l is a
};
inline constexpr std::size_t n_roles = 8;

/// Rule i and each other rule l. Weights are positive (p) and negative (n) ones.
template <class Count>
struct PartnerScan {
    std::size_t n;                    ///< a multiple of `scan_lanes`; padding entries are zero
    const std::int32_t* p;            ///< p[l]: positive weight of l
    const std::int32_t* q;            ///< q[l]: negative weight of l
    const Count* shared_p;            ///< positive weight of i and l together
    const Count* shared_q;            ///< negative weight of i and l together
    const std::int32_t* best_after;   ///< best_after[l]: the most one rule gains after l
    const std::int32_t* best_inside;  ///< best_inside[l]: the most one rule corrects inside l
    const std::int32_t* lead;  ///< lead[l]: the most a list gains more with what l stands for
    /// worth_p[l], worth_q[l]: what l must be worth as a rule that predicts the positive or the
    /// negative class, its own lead already taken off.
    const std::int32_t* worth_p;
    const std::int32_t* worth_q;
    std::int32_t i_p, i_q, i_after, i_inside, i_lead, i_worth_p, i_worth_q;  ///< the same of i
    std::int32_t all_p;  ///< positive weight of all rows
    std::int32_t goal;   ///< what a list must gain
};

/// A pivot, a rule near it, and each of some others, which lie far from neither: three rules whose
/// pairs are known, and by inclusion-exclusion nearly what all three share.
template <class Count>
struct TriangleScan {
    std::size_t n;                ///< other rules; the arrays are readable 64 entries further
    const std::int32_t* rule;     ///< their numbers
    const std::int32_t* p;        ///< positive weight of each
    const std::int32_t* q;        ///< negative weight
    const std::int32_t* pivot_p;  ///< positive weight it shares with the pivot
    const std::int32_t* pivot_q;  ///< negative weight it shares with the pivot
    const Count* near_p;          ///< near_p[rule]: positive weight it shares with the near rule
    const Count* near_q;          ///< near_q[rule]: negative weight
    bool adds;                    ///< the rule adds the rest of its weight (else takes away only)
    std::int32_t gain;            ///< of pivot and near rule
    std::int32_t shared_p;        ///< positive weight that these two share
    std::int32_t shared_q;        ///< negative weight
    std::int32_t left_p;          ///< positive weight that these two leave
    std::int32_t pivot_all_q;     ///< negative weight of the pivot
    std::int32_t near_all_q;      ///< negative weight of the near rule
    std::int32_t goal;            ///< what the three must gain
};

/// A pivot, a rule near it, and each rule that may stand beside both and takes rows away from one
/// or both: what they gain together is bounded as in TriangleScan.
template <class Count>
struct TakerScan {
    std::size_t n;             ///< a multiple of `scan_lanes`
    const std::int32_t* p;     ///< p[l]: positive weight of l
    const std::int32_t* q;     ///< q[l]: negative weight of l
    const std::int32_t* lead;  ///< lead[l]: the most a list gains more with what l stands for
    const Count* pivot_p;      ///< positive weight it shares with the pivot
    const Count* pivot_q;      ///< negative weight it shares with the pivot
    const Count* near_p;       ///< positive weight it shares with the near rule
    const Count* near_q;       ///< negative weight it shares with the near rule
    bool takes_both;           ///< it takes rows from both (else from the near rule alone)
    std::int32_t gain;         ///< of pivot or near rule
    std::int32_t shared_p;     ///< positive weight that these two share
    std::int32_t shared_q;     ///< negative weight
    std::int32_t left_p;       ///< positive weight that these two leave
    std::int32_t pivot_all_q;  ///< negative weight of the pivot
    std::int32_t near_all_q;   ///< negative weight of the near rule
    std::int32_t goal;         ///< what the three must gain
};

/// One row of the pair table, and what one more rule can do.
template <class Count>
struct ExtremesScan {
    std::size_t n;          ///< padding entries are zero
    const std::int32_t* w;  ///< w[l]: positive minus negative weight of l
    const Count* shared_p;
    const Count* shared_q;
};

/// Over all l: with x the positive minus negative weight that i and l share,
struct Extremes {
    std::int32_t least_shared;  ///< least x, at most 0
    std::int32_t most_shared;   ///< greatest x, at least 0
    std::int32_t least_after;   ///< least w[l] - x, at most 0
    std::int32_t most_after;    ///< greatest w[l] - x, at least 0
};

/// One instruction set's versions of the loops that take the time.
///
/// The set named "scalar" is the specification; every other must agree with it bit for bit.
struct Kernels {
    std::string_view name;

    /// popcount(a & b) over `n` words.
    std::int64_t (*count_and)(const Word* a, const Word* b, std::size_t n);

    /// Weighted class counts of one column and each of `n` others, `column_words` apart:
    /// counts[c][j].
    void (*count_row)(const Word* column, const Word* others, std::size_t column_words,
                      std::size_t n, const Segment* segments, std::size_t n_segments,
                      std::int32_t n_classes, std::int32_t* const* counts);

    /// The same of column i and each of the first `n` that lie in the same groups, from the first
    /// of i's group on. The last group must be whole.
    void (*count_grouped_row)(const Word* columns, std::size_t column_words, std::size_t i,
                              std::size_t n, const Segment* segments, std::size_t n_segments,
                              std::int32_t n_classes, std::int32_t* const* counts);

    /// The same of a set of rows and each column of the groups [first, last): counts[c][j], j
    /// being the column's number among all. Both classes of two.
    void (*count_set)(const SparseWords& set, const Word* columns, std::size_t column_words,
                      std::size_t first_group, std::size_t last_group, std::int32_t* const* counts);

    /// Packs the bits of all columns in groups at the places set in `keep` together, segment by
    /// segment: `keep` and the columns' words are those of a segment, `n` of them, and the target's
    /// are its first.
    void (*compact_groups)(const Word* columns, std::size_t column_words, std::size_t n_groups,
                           const Word* keep, std::size_t n, Word* targets,
                           std::size_t target_words);

    /// Which partners l of a rule i are worth a look: see PartnerScan. Bit l of roles[r] is set if
    /// the bound of role r reaches the goal; words_for(n) words each.
    void (*partner_scan16)(const PartnerScan<std::uint16_t>& scan, Word* const* roles);
    void (*partner_scan32)(const PartnerScan<std::uint32_t>& scan, Word* const* roles);

    /// The most that one more rule can do with rule i: see Extremes.
    Extremes (*extremes_scan16)(const ExtremesScan<std::uint16_t>& scan);
    Extremes (*extremes_scan32)(const ExtremesScan<std::uint32_t>& scan);

    /// Bit k of `open` is set if min(gain[k] + g, cap) - max(price[k], c) >= need; words_for(n).
    void (*couple_scan)(const std::int32_t* gain, const std::int32_t* price, std::size_t n,
                        std::int32_t g, std::int32_t c, std::int32_t cap, std::int32_t need,
                        Word* open);

    /// Leaves those bits of `open` set whose rule may reach the goal: see TriangleScan.
    void (*triangle_scan16)(const TriangleScan<std::uint16_t>& scan, Word* open);
    void (*triangle_scan32)(const TriangleScan<std::uint32_t>& scan, Word* open);

    /// The rules in both sets, words_for(n) words each, that may reach the goal: see TakerScan.
    /// Returns how many are in both sets.
    std::size_t (*taker_scan16)(const TakerScan<std::uint16_t>& scan, const Word* set,
                                const Word* other, Word* open);
    std::size_t (*taker_scan32)(const TakerScan<std::uint32_t>& scan, const Word* set,
                                const Word* other, Word* open);

    /// to[c * stride + r] = from[r * stride + c] for r < n_rows and c < n_columns.
    void (*transpose16)(const std::uint16_t* from, std::size_t stride, std::size_t n_rows,
                        std::size_t n_columns, std::uint16_t* to);
    void (*transpose32)(const std::uint32_t* from, std::size_t stride, std::size_t n_rows,
                        std::size_t n_columns, std::uint32_t* to);

    /// Packs the bits of each source at the places set in `keep` together at the front of its
    /// target, whose words are `stride` apart. Writes words_for(popcount(keep)) words to each.
    void (*compact)(const Word* const* sources, std::size_t n_columns, const Word* keep,
                    std::size_t n, Word* const* targets, std::size_t stride);

    /// errors[j] = misclassified weight of "then j, then the default" on what i leaves, the two
    /// with different labels (with equal ones the default alone does as well). Returns the least.
    std::int16_t (*pair_scan16)(const PairScan<std::int16_t>& scan, std::int16_t* errors);
    std::int32_t (*pair_scan32)(const PairScan<std::int32_t>& scan, std::int32_t* errors);

    /// For every j > i, the errors of i and j in both orders and a bound on what follows: applying
    /// the best rule for what i and j leave to what i alone leaves errs on at most all of the
    /// rows j took, so rest >= after_one(i) - |j without i|, and the same with i and j swapped.
    /// Returns the least total.
    std::int16_t (*order_scan16)(const OrderScan<std::int16_t>& scan,
                                 const OrderCosts<std::int16_t>& out);
    std::int32_t (*order_scan32)(const OrderScan<std::int32_t>& scan,
                                 const OrderCosts<std::int32_t>& out);

    /// errors[l] = lower bound on the misclassified weight of "then l, then the default" on
    /// what i and j leave, from pair counts alone. Returns the least.
    std::int16_t (*triple_scan16)(const TripleScan<std::int16_t>& scan, std::int16_t* errors);
    std::int32_t (*triple_scan32)(const TripleScan<std::int32_t>& scan, std::int32_t* errors);

    /// How values become codes, one function per type of value.
    BinKernels bin;

    /// Bit i of `target` = first <= codes[i] <= last; first <= last. Writes words_for(n) words,
    /// those past the end zero.
    void (*range_bits)(const std::uint8_t* codes, std::size_t n, std::uint8_t first,
                       std::uint8_t last, Word* target);

    /// For every b > a, lower bounds on the errors of a and b after i and on what follows, from
    /// pair counts alone. Returns the least total.
    std::int16_t (*survey_scan16)(const SurveyScan<std::int16_t>& scan,
                                  const SurveyCosts<std::int16_t>& out);
    std::int32_t (*survey_scan32)(const SurveyScan<std::int32_t>& scan,
                                  const SurveyCosts<std::int32_t>& out);

    /// The same four for any price of a group, in units of weight.
    float (*pair_price_scan)(const PairScan<std::int32_t>& scan, const RoughPrice& price,
                             float* costs);
    float (*order_price_scan)(const OrderScan<std::int32_t, float>& scan, const RoughPrice& price,
                              const OrderCosts<float>& out);
    float (*triple_price_scan)(const TripleScan<std::int32_t>& scan, const RoughPrice& price,
                               float* costs);
    float (*survey_price_scan)(const SurveyScan<std::int32_t, float>& scan, const RoughPrice& price,
                               const SurveyCosts<float>& out);

    /// costs[l] = what rules i and l cost in their cheaper order, with the default if wanted.
    void (*couple_price_scan16)(const CouplePriceScan<std::uint16_t>& scan, const RoughPrice& price,
                                float* costs);
    void (*couple_price_scan32)(const CouplePriceScan<std::uint32_t>& scan, const RoughPrice& price,
                                float* costs);

    /// Bounds what each rule and the default cost on the rows that i and j leave, from pair counts
    /// alone. Writes the blocks in which one costs less than there is room for, and the bounds of
    /// their rules; both have space for all blocks.
    OpenThirds (*third_price_scan16)(const ThirdPriceScan<std::uint16_t>& scan,
                                     const RoughPrice& price, std::uint32_t* blocks, float* costs);
    OpenThirds (*third_price_scan32)(const ThirdPriceScan<std::uint32_t>& scan,
                                     const RoughPrice& price, std::uint32_t* blocks, float* costs);
};

/// The sets this machine can run, slowest first; never empty.
std::vector<const Kernels*> available_kernels();

/// The set called `name`, or the fastest if `name` is empty; null if there is none of that name.
const Kernels* find_kernels(std::string_view name);

}  // namespace samrule
