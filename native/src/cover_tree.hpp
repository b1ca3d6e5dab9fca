/// Candidates in a tree of clusters: those that cover nearly the same rows are close together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

namespace samrule {

class CoverTree {
  public:
    /// A cluster: members [first, last) of the order, and its two halves (0: none).
    struct Node {
        std::size_t first, last;
        std::size_t left = 0, right = 0;
        std::size_t size() const { return last - first; }
    };

    /// Candidates 0 to n - 1. Each cluster of more than one is split in two: those nearer to one of
    /// two members that are far apart, and those nearer to the other.
    CoverTree(std::size_t n,
              const std::function<std::int64_t(std::int32_t, std::int32_t)>& distance);

    /// The root comes first, and every cluster before its halves.
    const std::vector<Node>& nodes() const { return nodes_; }
    /// All candidates, in the order of the tree.
    std::span<const std::int32_t> order() const { return order_; }
    std::int32_t member(std::size_t k) const { return order_[k]; }
    /// Where a candidate is in the order.
    std::size_t place(std::int32_t candidate) const {
        return place_[static_cast<std::size_t>(candidate)];
    }

  private:
    std::vector<Node> nodes_;
    std::vector<std::int32_t> order_;
    std::vector<std::size_t> place_;
};

}  // namespace samrule
