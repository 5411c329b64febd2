// iostream, exceptions across a switch, thread_local, static constructors and destructors, all per rank.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

extern "C" int stage_yield(void);

struct Counted {
	static int alive;
	int v;
	explicit Counted(int v) : v(v) { alive++; }
	~Counted() { alive--; }
};
int Counted::alive;
static Counted global(5);
static std::map<std::string, int> table{{"a", 1}, {"b", 2}};
thread_local std::string name = "unset";
thread_local int number = 7;
std::ofstream out;

struct Base { virtual ~Base() {} virtual int f() const { return 1; } };
struct Derived : Base { int f() const override { return 2; } };

struct Last { ~Last() { out << "last " << global.v << "\n"; } };
static Last last;

[[gnu::noinline]] static int thrower(int rank)
{
	Counted c(rank);
	if (rank >= 0)
		throw std::runtime_error("boom " + std::to_string(rank));
	return 0;
}

int main(int argc, char **argv)
{
	int rank = std::atoi(argv[1]);
	name = "rank" + std::to_string(rank);
	number += rank;
	global.v += rank;
	table["a"] += rank;
	out.open(argv[2]);
	int caught = 0;
	for (int i = 0; i < 3; i++) {
		try {
			thrower(rank);
		} catch (const std::exception &e) {
			stage_yield();
			if (e.what() == "boom " + std::to_string(rank) && Counted::alive == 1)
				caught++;
		}
	}
	try { std::vector<int>().at(3); } catch (const std::out_of_range &) { caught++; }
	Base *b = new Derived;
	if (!dynamic_cast<Derived *>(b) || typeid(*b) != typeid(Derived) || b->f() != 2)
		return 10;
	try { throw *b; } catch (const Base &) { caught++; }
	if (caught != 5 || name != "rank" + std::to_string(rank) || number != 7 + rank || table["a"] != 1 + rank)
		return 11;
	std::cerr.flush();
	out << "rank " << rank << " counter " << global.v << " " << 1.5 * rank << "\n";
	return 40 + rank;
}
