// Does the rest of the C++ library work in ranks: locales, filesystem, regular expressions, random_device, formatting, streams in destructors of globals?
#include "check.h"

#include <algorithm>
#include <any>
#include <charconv>
#include <clocale>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <locale>
#include <map>
#include <memory_resource>
#include <numeric>
#include <optional>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <unistd.h>
#include <unordered_map>
#include <valarray>
#include <variant>

// Speaks after main, when MPI is over.
struct Last {
	~Last()
	{
		std::cout << "last " << std::setw(3) << rank << std::endl;
		std::cerr << "";
		std::wcout.clear();
	}
} last;

namespace {

struct Comma : std::numpunct<char> {
	char do_thousands_sep() const override { return rank % 2 ? '.' : '_'; }
	std::string do_grouping() const override { return "\3"; }
};

std::string formatted(long n)
{
	std::ostringstream out;
	out << n;
	return out.str();
}

void locales()
{
	std::locale mine(std::locale(), new Comma), before = std::locale::global(mine);
	check_others_run();
	CHECK(formatted(1234567) == (rank % 2 ? "1.234.567" : "1_234_567"));
	std::locale::global(before);
	CHECK(formatted(1234567) == "1234567");
	std::locale utf8("C.UTF-8");
	CHECK(utf8.name() == "C.UTF-8" && std::use_facet<std::ctype<wchar_t>>(utf8).is(std::ctype_base::alpha, L'\u00e9'));
	try {
		std::locale none("no_SUCH.locale");
		CHECK(!"not reached");
	} catch (const std::runtime_error &) {
	}
}

void files()
{
	namespace fs = std::filesystem;
	fs::path dir = fs::temp_directory_path() / ("cxx_library." + std::to_string(getpid()) + "." + std::to_string(rank));
	fs::create_directories(dir / "a" / "b");
	std::ofstream(dir / "a" / "file") << "text of " << rank;
	check_others_run();
	std::set<std::string> found;
	for (auto &e : fs::recursive_directory_iterator(dir))
		found.insert(e.path().filename());
	CHECK(found == (std::set<std::string>{"a", "b", "file"}));
	CHECK(fs::file_size(dir / "a" / "file") == 8 + std::to_string(rank).size());
	fs::rename(dir / "a" / "file", dir / "moved");
	CHECK(fs::exists(dir / "moved") && fs::relative(dir / "moved", dir) == "moved");
	try {
		fs::file_size(dir / "missing");
		CHECK(!"not reached");
	} catch (const fs::filesystem_error &e) {
		CHECK(e.code() == std::errc::no_such_file_or_directory);
	}
	CHECK(fs::remove_all(dir) == 4);
}

void words()
{
	std::regex pattern(R"((\w+)@(\w+)\.org)");
	std::string text = "a@b.org, rank" + std::to_string(rank) + "@host.org";
	std::vector<std::string> names;
	for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i) {
		names.push_back((*i)[1]);
		check_others_run();
	}
	CHECK(names.size() == 2 && names[1] == "rank" + std::to_string(rank));
	try {
		std::regex bad("(");
		CHECK(!"not reached");
	} catch (const std::regex_error &e) {
		CHECK(e.code() == std::regex_constants::error_paren);
	}
	double d = 0;
	std::string digits = "2.5e3";
	std::from_chars(digits.data(), digits.data() + digits.size(), d);
	CHECK(d == 2500);
}

void random_numbers()
{
	std::random_device device;
	std::mt19937_64 a(device()), b(device());
	CHECK(a() != b());
	std::mt19937 engine(rank);
	std::normal_distribution<double> normal;
	std::vector<double> values(200), again(200);
	for (auto &v : values)
		v = normal(engine);
	check_others_run();
	engine.seed(rank);
	normal.reset();
	std::generate(again.begin(), again.end(), [&] { return normal(engine); });
	CHECK(values == again);
}

void containers()
{
	std::unordered_map<std::string, std::any> map;
	for (int i = 0; i < 500; i++)
		map["key" + std::to_string(i)] = i * rank;
	check_others_run();
	CHECK(map.size() == 500 && std::any_cast<int>(map["key7"]) == 7 * rank);
	std::variant<int, std::string> either = "text";
	CHECK(std::get<std::string>(either) == "text");
	try {
		(void)std::get<int>(either);
		CHECK(!"not reached");
	} catch (const std::bad_variant_access &) {
	}
	std::pmr::monotonic_buffer_resource pool;
	std::pmr::vector<int> list(&pool);
	list.resize(1000, rank);
	CHECK(std::accumulate(list.begin(), list.end(), 0) == 1000 * rank);
	try {
		std::vector<char> huge(std::size_t(-1) / 4);
		CHECK(!"not reached");
	} catch (const std::exception &) {
	}
	struct alignas(256) Wide { char c; };
	auto wide = std::make_unique<Wide>();
	CHECK(reinterpret_cast<unsigned long>(wide.get()) % 256 == 0);
}

} // namespace

int main(int argc, char **argv)
{
	std::ios::sync_with_stdio(false);
	check_begin(&argc, &argv);
	locales();
	files();
	words();
	random_numbers();
	containers();
	return check_end("cxx_library");
}
