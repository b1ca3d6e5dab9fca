/// The oracle: the best rule list of a small table, by trying all of them. Written from the
/// statement of the problem alone, and slow on purpose; it shares no code with the search.
#pragma once

#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "random_tables.hpp"

namespace brute_force {

using samrule::Table;
using samrule::Terms;

/// What is asked, in whole numbers so that ties are ties: an error costs `per_error` per unit of
/// weight, a rule costs `per_rule`, and a rule must decide a weight of at least `min_support`.
struct Question {
    int max_rules;
    int max_terms;
    std::int64_t per_error;
    std::int64_t per_rule;
    std::int64_t min_support;
    /// What a group with these class weights costs, if not its errors.
    std::function<std::int64_t(const std::vector<std::int64_t>&)> price = {};
};

/// Ordered as the answers are: least cost, then fewest rules, then smallest candidates in order.
struct Answer {
    std::int64_t cost;
    std::size_t n_rules;
    std::vector<std::size_t> candidates;  ///< positions in the order of all conjunctions

    bool operator==(const Answer&) const = default;
    /// Not every library has <=> of vectors.
    bool operator<(const Answer& other) const {
        return std::tie(cost, n_rules, candidates) <
               std::tie(other.cost, other.n_rules, other.candidates);
    }
};

/// Sets of rows are bits of a number, so there may be 32 at most.
class BruteForce {
  public:
    BruteForce(const Table& table, const Question& question)
        : table_(table),
          question_(question),
          conjunctions_(random_tables::conjunctions(table.n_columns, question.max_terms)),
          answers_(static_cast<std::size_t>(question.max_rules) + 1) {
        for (std::size_t k = 0; k < conjunctions_.size(); ++k) {
            std::uint32_t matched = 0;
            for (std::size_t row = 0; row < table.n_rows; ++row)
                if (random_tables::matches(table, row, conjunctions_[k])) matched |= 1U << row;
            // Of candidates that match the same rows only the first can be in the first list.
            bool is_new = true;
            for (const Candidate& other : candidates_) is_new &= other.matched != matched;
            if (is_new) candidates_.push_back({k, matched});
        }
    }

    /// The first of the best lists of at most `n_rules` rules.
    const Answer& best(int n_rules) {
        const std::uint64_t all = (std::uint64_t{1} << table_.n_rows) - 1;
        return best(static_cast<std::uint32_t>(all), n_rules);
    }

    std::vector<Terms> rules(const Answer& answer) const {
        std::vector<Terms> rules;
        for (const std::size_t k : answer.candidates) rules.push_back(conjunctions_[k]);
        return rules;
    }

  private:
    struct Candidate {
        std::size_t position;
        std::uint32_t matched;
    };

    struct Decision {
        std::int64_t weight;
        std::int64_t cost;
    };

    /// The rows decided by one rule: their weight, and what they cost.
    Decision decide(std::uint32_t rows) const {
        std::vector<std::int64_t> weights(static_cast<std::size_t>(table_.n_classes), 0);
        std::int64_t total = 0, most = 0;
        for (std::size_t row = 0; row < table_.n_rows; ++row) {
            if ((rows >> row & 1) == 0) continue;
            std::int64_t& w = weights[static_cast<std::size_t>(table_.labels[row])];
            w += table_.weight(row);
            total += table_.weight(row);
            most = std::max(most, w);
        }
        return {total,
                question_.price ? question_.price(weights) : (total - most) * question_.per_error};
    }

    /// The best way to go on, remembered per set of undecided rows: which changes but the time.
    const Answer& best(std::uint32_t undecided, int n_rules) {
        auto& known = answers_[static_cast<std::size_t>(n_rules)];
        if (const auto found = known.find(undecided); found != known.end()) return found->second;
        Answer answer{decide(undecided).cost, 0, {}};
        for (const Candidate& candidate : candidates_) {
            const std::uint32_t decided = undecided & candidate.matched;
            if (n_rules == 0 || decided == 0) continue;
            const Decision decision = decide(decided);
            if (decision.weight < question_.min_support) continue;
            const Answer& rest = best(undecided & ~decided, n_rules - 1);
            const std::int64_t cost = decision.cost + question_.per_rule + rest.cost;
            if (cost > answer.cost) continue;
            Answer longer{cost, rest.n_rules + 1, {candidate.position}};
            longer.candidates.insert(longer.candidates.end(), rest.candidates.begin(),
                                     rest.candidates.end());
            answer = std::min(answer, longer);
        }
        return known.emplace(undecided, std::move(answer)).first->second;
    }

    const Table& table_;
    const Question question_;
    const std::vector<Terms> conjunctions_;
    std::vector<Candidate> candidates_;
    std::vector<std::unordered_map<std::uint32_t, Answer>> answers_;
};

}  // namespace brute_force
