// Reads cases with the generated C++: a line "type arguments.." and a line of hexadecimal bytes in,
// the field tree as one JSON line out. types.h has the readers and what they consist of.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

// The runtime allocates as many bytes as a length asks for, before it finds that fewer follow.
void* operator new(std::size_t size) {
    void* found = size > (1u << 28) ? nullptr : std::malloc(size);
    if (found == nullptr) throw std::bad_alloc();
    return found;
}
void operator delete(void* found) noexcept { std::free(found); }
void operator delete(void* found, std::size_t) noexcept { std::free(found); }

struct Again {};

// A tree as text. A field that fails leaves a null pointer in its object, and a stream on which all
// later fields fail. So bytes with such a field are read again without it.
class Tree {
public:
    std::string text;

    void start() {
        text.clear();
        count = 0;
    }

    template <typename Write>
    void member(const char* name, Write write_value) {
        if (text.back() != '{') text += ',';
        text += std::string("\"") + name + "\":";
        const long number = count++;
        if (failed.count(number)) {
            text += "\"!\"";
            return;
        }
        try {
            write_value();
        } catch (const std::exception&) {
            failed.insert(number);
            throw Again();
        }
    }

    void absent() { text += "null"; }

    void write(bool value) { text += value ? "true" : "false"; }

    void write(double value) {
        char number[32];
        std::snprintf(number, sizeof number, "%.17g", value);
        if (std::isnan(value)) text += "\"NaN\"";
        else if (std::isinf(value)) text += value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
        else if (value == 0 && std::signbit(value)) text += "\"-0.0\"";
        else text += number;
    }

    void write(float value) { write(static_cast<double>(value)); }

    void write(const std::string& bytes) {
        text += '"';
        for (const unsigned char byte : bytes) {
            text += "0123456789abcdef"[byte >> 4];
            text += "0123456789abcdef"[byte & 15];
        }
        text += '"';
    }

    template <typename T>
    void write(const std::unique_ptr<T>& value) { write(value.get()); }

    template <typename T>
    void write(std::vector<T>* list) {
        text += '[';
        for (auto& element : *list) {
            if (text.back() != '[') text += ',';
            write(element);
        }
        text += ']';
    }

    template <typename T>
    void write(T* parsed) {
        text += '{';
        members(*this, *parsed);
        text += '}';
    }

    template <typename T>
    typename std::enable_if<std::is_integral<T>::value>::type write(T value) {
        text += std::to_string(value);
    }

    template <typename T>
    typename std::enable_if<std::is_enum<T>::value>::type write(T value) {
        text += std::to_string(static_cast<long long>(value));
    }

private:
    long count = 0;
    std::set<long> failed;  // fields, in the order in which they are read
};

using Arguments = std::vector<std::int64_t>;

#include "types.h"

std::string answer(const std::string& asked, const std::string& data) {
    std::istringstream words(asked);
    std::string name;
    words >> name;
    Arguments given;
    for (std::int64_t number; words >> number;) given.push_back(number);
    const auto read = types.at(name);
    Tree tree;
    for (;;) {
        kaitai::kstream stream(data);
        tree.start();
        try {
            read(tree, &stream, given);
            return tree.text;
        } catch (const Again&) {
        } catch (const std::exception&) {
            return "null";
        }
    }
}

int main() {
    std::string asked, digits;
    while (std::getline(std::cin, asked) && std::getline(std::cin, digits)) {
        std::string data;
        for (std::size_t i = 0; i < digits.size(); i += 2)
            data += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
        std::cout << answer(asked, data) << '\n';
    }
}
