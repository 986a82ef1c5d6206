/// @file
/// Weights as train.py and forecast.py write them.
#pragma once

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

inline std::vector<float> read_weights(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    std::vector<float> weights(bytes.size() / sizeof(float));
    std::copy_n(bytes.data(), weights.size() * sizeof(float),
                reinterpret_cast<char*>(weights.data()));
    return weights;
}
