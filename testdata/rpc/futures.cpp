// Calls in C++: functions, lambdas and function objects; strings, vectors, views; futures, then and when_all; exceptions.
#include "ampi_rpc.hpp"

#include <numeric>
#include <sstream>

#include "../mpi/check.h"

static int twice(int x) { return 2 * x; }

struct scale {
    double factor;
    double operator()(double x) const { return factor * x; }
};

struct named {
    std::string name;
    std::vector<std::string> tags;
};

template <> struct ampi::serialization<named> {
    static void write(writer &w, const named &n)
    {
        serialization<std::string>::write(w, n.name);
        serialization<std::vector<std::string>>::write(w, n.tags);
    }
    static named read(reader &r)
    {
        std::string name = serialization<std::string>::read(r);
        return {name, serialization<std::vector<std::string>>::read(r)};
    }
};

static int inserted;

static void values(int to)
{
    CHECK_INT(ampi::rpc(to, twice, 21).wait(), 42);
    int add = rank;
    CHECK_INT(ampi::rpc(to, [add](int x) { return x + add; }, 5).wait(), 5 + rank);
    CHECK(ampi::rpc(to, scale{1.5}, 4.0).wait() == 6.0);
    CHECK_INT(ampi::rpc(to, [] { return rank; }).wait(), to);
    auto join = [](const std::string &a, const std::string &b) { return a + " and " + b; };
    CHECK(ampi::rpc(to, join, std::string("this"), std::string("that")).wait() == "this and that");
    std::vector<std::string> words = {"one", "", std::string(1000, 'x')};
    CHECK(ampi::rpc(to, [](std::vector<std::string> v) { return v; }, words).wait() == words);
    named n = ampi::rpc(to, [](named x) { x.tags.push_back(x.name); return x; }, named{"me", {"a"}}).wait();
    CHECK(n.tags.size() == 2 && n.tags[1] == "me");
    std::pair<int, std::string> pair(3, "three");
    auto p = ampi::rpc(to, [](std::pair<int, std::string> x) { return std::make_tuple(x.second, x.first, 1.5); }, pair).wait();
    CHECK(std::get<0>(p) == "three" && std::get<1>(p) == 3 && std::get<2>(p) == 1.5);
    CHECK_INT(ampi::rpc(to, [](int (*f)(int), int x) { return f(x); }, &twice, 4).wait(), 8);
}

static void views(int to)
{
    for (std::size_t n : {0, 1, 100, 10000}) {
        std::vector<double> v(n);
        std::iota(v.begin(), v.end(), 1.0);
        double sum = ampi::rpc(to, [](char, ampi::view<double> x) {
            CHECK_INT(reinterpret_cast<std::uintptr_t>(x.data()) % alignof(double), 0);
            return std::accumulate(x.begin(), x.end(), 0.0);
        }, 'c', ampi::make_view(v)).wait();
        CHECK(sum == static_cast<double>(n * (n + 1) / 2));
        auto copy = [](ampi::view<double> x) { return std::vector<double>(x.begin(), x.end()); };
        CHECK(ampi::rpc(to, copy, ampi::make_view(v)).wait() == v); // longer than an answer that comes at once
    }
}

static void chains(int to)
{
    auto f = ampi::rpc(to, twice, 3).then([](int x) { return x + 1; }).then([to](int x) { return ampi::rpc(to, twice, x); });
    CHECK_INT(f.wait(), 14);
    auto both = ampi::when_all(ampi::rpc(to, twice, 1), ampi::rpc(0, [] { return std::string("zero"); }), ampi::make_future(7), ampi::rpc(to, [] {}));
    CHECK_INT(both.then([](int a, const std::string &b, int c) { return a + static_cast<int>(b.size()) + c; }).wait(), 13);
    int ran = 0;
    ampi::rpc(to, [] {}).then([&] { ran++; }).wait();
    CHECK_INT(ran, 1);
    ampi::future<> all = ampi::make_future<>();
    for (int i = 0; i < 100; i++)
        all = ampi::when_all(all, ampi::rpc(i % size, [](int x) { CHECK(x >= 0); }, i));
    all.wait();
}

static void failures(int to)
{
    std::string said;
    try {
        ampi::rpc(to, [](int x) -> int { throw std::runtime_error("no " + std::to_string(x)); }, 5).then([](int) { CHECK(false); }).wait();
    } catch (const ampi::error &e) {
        said = e.what();
    }
    CHECK(said == "no 5");
}

static void one_way(int to)
{
    MPI_Barrier(WORLD);
    auto insert = [](int number, const std::string &) {
        CHECK_INT(inserted, number);
        inserted++;
    };
    for (int i = 0; i < 100; i++)
        ampi::rpc_ff(to, insert, i, std::string(static_cast<std::size_t>(i) * 50, 'y'));
    CHECK_INT(ampi::rpc(to, [] { return inserted; }).wait(), 100);
    MPI_Barrier(WORLD);
}

static void segments()
{
    std::ostringstream out;
    ampi::relocation::debug_write_segment_table(out);
    CHECK(out.str().find("futures") != std::string::npos);
    ampi::relocation::verify_all();
    ampi::relocation::verify_segment(twice);
    CHECK(!ampi::relocation::enforce_verification(true) && ampi::relocation::verification_enforced());
    CHECK_INT(ampi::rpc(0, twice, 1).wait(), 2);
    CHECK(ampi::relocation::enforce_verification(false));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int to : {rank, (rank + 1) % size, size - 1}) {
        values(to);
        views(to);
        chains(to);
        failures(to);
    }
    one_way((rank + 1) % size);
    segments();
    return check_end("futures");
}
