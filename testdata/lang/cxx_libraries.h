// What cxx_libraries.cpp and its two libraries have in common.
#ifndef CXX_LIBRARIES_H
#define CXX_LIBRARIES_H

#include <stdexcept>
#include <string>

struct Error : std::runtime_error {
	Error(const std::string &text, int r) : std::runtime_error(text), rank(r) {}
	int rank;
};

struct Shape {
	virtual ~Shape() = default;
	virtual int sides() const { return 0; }
};

struct Square : Shape {
	int sides() const override { return 4; }
};

// One object for program and libraries: a unique symbol.
template <class T> struct Registry {
	static int &count()
	{
		static int n = 100;
		return n;
	}
	static inline int entries = 7;
};

inline int inline_variable = 5;

using Callback = void (*)(int depth);

#endif
