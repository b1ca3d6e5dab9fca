/// The problem the search sees: equal rows merged, unavoidable errors subtracted, candidate
/// rules as bitsets over row slots sorted by class and weight plane.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "samrule/kernels.hpp"
#include "samrule/stop_sign.hpp"
#include "samrule/table.hpp"

namespace samrule {

struct Instance {
    std::int32_t n_classes = 0;
    std::vector<Segment> segments;
    std::size_t words = 0;                   ///< words per candidate, all segments together
    std::vector<std::int64_t> class_weight;  ///< weight left in each class
    std::int64_t unavoidable_errors = 0;     ///< errors of every rule list, already subtracted
    std::vector<Terms> terms;                ///< the conditions of each candidate rule
    /// Conjunctions of up to so many conditions are here, all of them; fewer than asked for if
    /// longer ones would have taken too much memory or work (`missing` says which).
    std::int32_t max_terms = 0;
    Status missing = Status::optimal;
    std::vector<Word> bits;  ///< candidate after candidate
    /// The candidate that selects exactly the other rows (such as "< t" for ">= t"), or -1.
    std::vector<std::int32_t> complement;

    std::size_t n_candidates() const { return terms.size(); }
    const Word* candidate(std::size_t i) const { return bits.data() + i * words; }
};

struct InstanceOptions {
    std::int32_t max_terms = 1;
    /// Rows with equal conditions get equal predictions whatever the list, so the smallest of
    /// their class weights can be taken off every class: each list then costs (classes - 1)
    /// times as much less. Off when supports matter, which this would change, and where a group
    /// costs something else than its errors.
    bool subtract_unavoidable = true;
    std::size_t memory_limit = SIZE_MAX;  ///< bytes for the candidates' bits
    StopSign* stop = nullptr;  ///< looked at now and then; raised if not even conditions fit
    /// Operations to spend on conjunctions: those of two conditions may take half of them, those of
    /// three half of the rest, and so on. So what is made of shorter ones, and what work is left
    /// for the search, does not depend on how long conjunctions may be.
    std::uint64_t work_limit = unlimited_work;
    /// What the weight of each class is multiplied by; empty: one. The sum of all weights must stay
    /// below total_weight_limit.
    std::span<const std::int64_t> class_factors = {};
    /// The column that each condition asks about, where that matters: then a candidate is left out
    /// for an earlier one only if that asks about no other columns.
    std::span<const std::int32_t> column_of = {};
};

/// Builds the instance. Candidates are ordered by number of terms, then indices; of those that
/// select the same rows only the first is kept, and those that select none or all are left out.
/// Conjunctions that would pass a limit are left out with all that are as long. Returns false if
/// there are not even conditions (the instance is then unusable).
bool build_instance(const Table& table, const InstanceOptions& options, Instance& instance);

}  // namespace samrule
