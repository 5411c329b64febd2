// Do streams and exceptions of C++ go along with a rank: std::cout, string streams, what is thrown, caught, thrown again, and kept?
#include <cmath>
#include <exception>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "moves.h"

struct Base {
	virtual ~Base() {}
	virtual std::string name() const { return "base"; }
};

struct Derived : Base, std::ostringstream {
	std::string name() const override { return "derived " + str(); }
};

static std::string caught()
{
	try {
		try {
			throw std::runtime_error("thrown by " + std::to_string(rank));
		} catch (const std::exception &) {
			CHECK(moves());
			throw;
		}
	} catch (const std::runtime_error &e) {
		CHECK(moves());
		return e.what();
	}
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	std::ostringstream kept;
	std::istringstream words("one two three");
	std::map<std::string, std::function<double(double)>> functions;
	std::vector<Base *> objects{new Base, new Derived};
	std::exception_ptr later;
	kept << std::fixed << std::setprecision(3) << rank << ' ';
	functions["root"] = [](double x) { return std::sqrt(x); };
	std::cout << "rank " << rank << " begins" << std::endl;
	CHECK(moves());
	kept << 1.5;
	dynamic_cast<Derived *>(objects[1])->operator<<(42);
	try {
		throw std::out_of_range("later");
	} catch (...) {
		later = std::current_exception();
	}
	CHECK(caught() == "thrown by " + std::to_string(rank));
	std::string word;
	CHECK(words >> word && word == "one");
	CHECK(moves());
	CHECK(words >> word && word == "two");
	CHECK(kept.str() == std::to_string(rank) + " 1.500");
	CHECK(functions["root"](9) == 3 && objects[0]->name() == "base" && objects[1]->name() == "derived 42");
	try {
		std::rethrow_exception(later);
	} catch (const std::logic_error &e) {
		CHECK(std::string(e.what()) == "later");
	}
	std::cout << "rank " << rank << " ends" << std::endl;
	for (Base *o : objects)
		delete o;
	return check_end("streams");
}
