#include "cover_tree.hpp"

#include <algorithm>

namespace samrule {

CoverTree::CoverTree(std::size_t n,
                     const std::function<std::int64_t(std::int32_t, std::int32_t)>& distance)
    : nodes_{{0, n}}, order_(n), place_(n) {
    std::iota(order_.begin(), order_.end(), 0);
    const auto at = [&](std::size_t k) { return order_.begin() + static_cast<std::ptrdiff_t>(k); };
    const auto farthest = [&](std::int32_t from, const Node& node) {
        std::pair<std::int64_t, std::int32_t> most{-1, from};
        for (std::size_t k = node.first; k < node.last; ++k)
            if (const std::int64_t far = distance(from, order_[k]); far > most.first)
                most = {far, order_[k]};
        return most.second;
    };
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
        const Node node = nodes_[k];
        if (node.size() <= 1) continue;
        const std::int32_t one = farthest(order_[node.first], node), other = farthest(one, node);
        const auto half = std::partition(at(node.first), at(node.last), [&](std::int32_t c) {
            return distance(one, c) < distance(other, c);
        });
        auto middle = static_cast<std::size_t>(half - order_.begin());
        // All equally far from both.
        if (middle == node.first || middle == node.last) middle = node.first + node.size() / 2;
        nodes_[k].left = nodes_.size();
        nodes_[k].right = nodes_.size() + 1;
        nodes_.push_back({node.first, middle});
        nodes_.push_back({middle, node.last});
    }
    for (std::size_t k = 0; k < n; ++k) place_[static_cast<std::size_t>(order_[k])] = k;
}

}  // namespace samrule
