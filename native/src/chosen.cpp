#include "chosen.hpp"

#include <algorithm>
#include <vector>

namespace samrule {

Chosen::Chosen(const ConjunctionProblem& problem, const Counts& reach, std::int64_t least_correct)
    : rows_(problem.rows) {
    std::vector<std::int32_t> chosen;
    for (std::size_t i = 0; i < problem.language.size(); ++i)
        if (std::max(problem.counts.positive(i), problem.counts.negative(i)) >= least_correct)
            chosen.push_back(static_cast<std::int32_t>(i));
    language_ = problem.language.only(chosen);
    for (std::size_t c = 0; c < 2; ++c)
        for (const std::int32_t i : chosen) {
            counts_.of_class[c].push_back(problem.counts.of_class[c][static_cast<std::size_t>(i)]);
            reach_.of_class[c].push_back(reach.of_class[c][static_cast<std::size_t>(i)]);
        }
}

}  // namespace samrule
