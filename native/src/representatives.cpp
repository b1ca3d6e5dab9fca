#include "representatives.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace samrule {
namespace {

/// Groups make a table smaller and every bound weaker: it pays if there are at most so many of them
/// per candidate. (Measured: docs/records/solver.md.)
constexpr double few_groups = 0.9;

std::vector<std::int32_t> each_for_itself(std::size_t n) {
    std::vector<std::int32_t> stands_for(n);
    std::iota(stands_for.begin(), stands_for.end(), 0);
    return stands_for;
}

std::size_t number_of_groups(const std::vector<std::int32_t>& stands_for) {
    std::size_t n_groups = 0;
    for (std::size_t i = 0; i < stands_for.size(); ++i)
        n_groups += stands_for[i] == static_cast<std::int32_t>(i);
    return n_groups;
}

}  // namespace

Representatives::Representatives(State& state, const ConjunctionProblem& all, std::int64_t radius)
    : state_(state), all_(all) {
    const std::size_t n = all.language.size();
    for (auto& lead : lead_) lead.assign(n, 0);
    const std::size_t bytes = n * all.rows.rows.words * sizeof(Word);
    if (radius >= 0 && state.claim_spare(bytes, claimed_)) {
        copy_rows();
        const std::vector<std::int32_t> stands_for = group(radius);
        if (static_cast<double>(number_of_groups(stands_for)) <=
            few_groups * static_cast<double>(n)) {
            set_groups(stands_for);
            return;
        }
        std::vector<Word>().swap(words_);
        state.release_spare(claimed_);
        for (auto& lead : lead_) lead.assign(n, 0);
    }
    set_groups(each_for_itself(n));
}

void Representatives::copy_rows() {
    const std::size_t n = all_.language.size(), words = all_.rows.rows.words;
    state_.charge(Work::packed_word, n * words);
    words_.resize(n * words);
    std::vector<Word> one;
    for (std::size_t i = 0; i < n && !state_.stopped(); ++i) {
        all_.rows.copy_conjunction(all_.language.terms[i], one);
        std::copy(one.begin(), one.end(), words_.begin() + static_cast<std::ptrdiff_t>(i * words));
    }
}

Two Representatives::shared(std::int32_t i, std::int32_t j) const {
    Two weight;
    for (const Segment& s : all_.rows.rows.segments)
        (s.klass == 1 ? weight.positive : weight.negative) +=
            s.weight * state_.kernels.count_and(rows_of(i) + s.first_word,
                                                rows_of(j) + s.first_word, s.n_words);
    return weight;
}

/// The representative of each candidate: the first found whose leads are within the radius. Those
/// that may be are nearly as heavy in both classes, so they are looked for by their weights.
std::vector<std::int32_t> Representatives::group(std::int64_t radius) {
    const std::size_t n = all_.language.size();
    std::vector<std::int32_t> order(n), stands_for(n);
    std::iota(order.begin(), order.end(), 0);
    // Shorter conjunctions are representatives rather than longer ones.
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return all_.language.terms[static_cast<std::size_t>(a)].size() <
               all_.language.terms[static_cast<std::size_t>(b)].size();
    });
    std::unordered_map<std::int64_t, std::vector<std::int32_t>> cells;
    const std::int64_t side = radius + 1, stride = all_.rows.weight.all() / side + 3;
    std::uint64_t compared = 0;
    const auto find = [&](std::int32_t i, std::int64_t p, std::int64_t q) {
        for (std::int64_t x = p / side - 1; x <= p / side + 1; ++x)
            for (std::int64_t y = q / side - 1; y <= q / side + 1; ++y) {
                const auto cell = cells.find(x * stride + y);
                if (cell == cells.end()) continue;
                for (const std::int32_t r : cell->second) {
                    const std::int64_t r_p = all_.counts.positive(static_cast<std::size_t>(r));
                    const std::int64_t r_q = all_.counts.negative(static_cast<std::size_t>(r));
                    if (std::max<std::int64_t>(p - r_p, 0) + std::max<std::int64_t>(r_q - q, 0) >
                            radius ||
                        std::max<std::int64_t>(r_p - p, 0) + std::max<std::int64_t>(q - r_q, 0) >
                            radius)
                        continue;
                    ++compared;
                    const Two both = shared(i, r);
                    const std::int64_t for_1 = p - both.positive + r_q - both.negative;
                    const std::int64_t for_0 = q - both.negative + r_p - both.positive;
                    if (std::max(for_0, for_1) > radius) continue;
                    lead_[0][static_cast<std::size_t>(i)] = static_cast<std::int32_t>(for_0);
                    lead_[1][static_cast<std::size_t>(i)] = static_cast<std::int32_t>(for_1);
                    return r;
                }
            }
        cells[p / side * stride + q / side].push_back(i);
        return i;
    };
    for (const std::int32_t i : order) {
        if (state_.stopped()) return each_for_itself(n);
        const auto k = static_cast<std::size_t>(i);
        stands_for[k] = find(i, all_.counts.positive(k), all_.counts.negative(k));
    }
    state_.charge(Work::row_word, compared * all_.rows.rows.words);
    return stands_for;
}

void Representatives::set_groups(const std::vector<std::int32_t>& stands_for) {
    const std::size_t n = all_.language.size();
    std::vector<std::int32_t> place(n, -1);
    for (std::size_t i = 0; i < n; ++i)
        if (stands_for[i] == static_cast<std::int32_t>(i)) {
            place[i] = static_cast<std::int32_t>(chosen_.size());
            chosen_.push_back(static_cast<std::int32_t>(i));
        }
    const std::size_t n_groups = chosen_.size();
    first_.assign(n_groups + 1, 0);
    for (auto& most : most_lead_) most.assign(n_groups, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const auto r = static_cast<std::size_t>(place[static_cast<std::size_t>(stands_for[i])]);
        ++first_[r + 1];
        for (std::size_t k = 0; k < 2; ++k) {
            most_lead_[k][r] = std::max(most_lead_[k][r], lead_[k][i]);
            radius_ = std::max(radius_, lead_[k][i]);
        }
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::size_t> next(first_.begin(), first_.end());
    members_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto r = static_cast<std::size_t>(place[static_cast<std::size_t>(stands_for[i])]);
        members_[next[r]++] = static_cast<std::int32_t>(i);
    }
    language_ = all_.language.only(chosen_);
    for (std::size_t c = 0; c < 2; ++c)
        for (const std::int32_t i : chosen_)
            counts_.of_class[c].push_back(all_.counts.of_class[c][static_cast<std::size_t>(i)]);
}

}  // namespace samrule
