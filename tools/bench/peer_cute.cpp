// The questions of `tools/bench/cute.rs`, answered and timed by CUTLASS's `cutegen`:
//
//   g++ -O2 -std=c++17 -w -I CUTLASS/cutlass_compiler/cutegen/include tools/bench/peer_cute.cpp -o peer_cute
//   LL_PEER_CUTE=./peer_cute cargo bench --bench cute
//
// A line is `operation<TAB>layout[<TAB>layout or number]`, with flat layouts such as `(4,2):(1,4)`. A time is the
// average over the questions of an operation, the best of many rounds.

#include <cctype>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cutegen/cutegen.hpp"
#include "cutegen/cutegen_base_dynamic.hpp"
#include "cutegen/layout.hpp"

namespace cg = cutegen;

static std::vector<long> numbersOf(const std::string &text) {
  std::vector<long> numbers;
  std::string number;
  for (char c : text + ",") {
    if (isdigit(c) || c == '-') {
      number += c;
    } else if (!number.empty()) {
      numbers.push_back(std::stol(number));
      number.clear();
    }
  }
  return numbers;
}

static cg::layout layoutOf(const std::string &text) {
  size_t colon = text.find(':');
  std::vector<long> shape = numbersOf(text.substr(0, colon));
  std::vector<long> stride = numbersOf(text.substr(colon + 1));
  std::vector<cg::layout> modes;
  for (size_t i = 0; i < shape.size(); ++i)
    modes.push_back(cg::layout(cg::shape(shape[i]), cg::stride(stride[i])));
  return text[0] == '(' ? cg::make_layout(modes) : modes[0];
}

struct Question {
  cg::layout layout;
  cg::layout other;
  long number;
};

template <class Answer>
static double nanoseconds(std::vector<Question> &questions, Answer answer) {
  double best = 1e300;
  for (int round = 0; round < 60; ++round) {
    auto start = std::chrono::steady_clock::now();
    for (Question &question : questions) {
      auto found = answer(question);
      // Keeps the compiler from removing an unused result.
      asm volatile("" : : "g"(&found) : "memory");
    }
    std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count() / questions.size());
  }
  return best;
}

int main(int argc, char **argv) {
  std::ifstream file(argc > 1 ? argv[1] : "/dev/stdin");
  std::map<std::string, std::vector<Question>> questions;
  std::string line;
  while (std::getline(file, line)) {
    std::stringstream columns(line);
    std::string operation, layout, other;
    std::getline(columns, operation, '\t');
    std::getline(columns, layout, '\t');
    std::getline(columns, other, '\t');
    bool isLayout = other.find(':') != std::string::npos;
    cg::layout given = layoutOf(layout);
    cg::layout second = isLayout ? layoutOf(other) : given;
    long number = isLayout || other.empty() ? 0 : std::stol(other);
    questions[operation].push_back({given, second, number});
  }
  auto print = [&](const char *operation, auto answer) {
    std::printf("%s\t%.2f\n", operation, nanoseconds(questions[operation], answer));
  };
  print("coalesce", [](Question &q) { return cg::coalesce(q.layout); });
  print("composition", [](Question &q) { return cg::composition(q.layout, q.other); });
  print("complement", [](Question &q) { return cg::complement(q.layout, q.number); });
  print("right_inverse", [](Question &q) { return cg::right_inverse(q.layout); });
  print("left_inverse", [](Question &q) { return cg::left_inverse(q.layout); });
  print("logical_divide", [](Question &q) { return cg::logical_divide(q.layout, q.other); });
}
