/* The library that plugins.cpp opens. */
#include <stdexcept>
#include <string>
#include <vector>

struct Counter {
	int made = 100;
	std::vector<int> seen;
	~Counter() { made = 0; }
};

static Counter counter;

static Counter &lazy()
{
	static Counter c;
	return c;
}

thread_local std::string words = "local";

extern "C" void thrower_throw(int n)
{
	throw std::runtime_error("from the plugin " + std::to_string(n));
}

extern "C" int thrower_call(void (*fn)(int), int n)
{
	try {
		fn(n);
	} catch (const std::logic_error &e) {
		counter.seen.push_back(n);
		lazy().seen.push_back(n);
		words += e.what();
		return counter.made + (int)counter.seen.size() + (int)lazy().seen.size();
	}
	return -1;
}

extern "C" const char *thrower_words()
{
	return words.c_str();
}
