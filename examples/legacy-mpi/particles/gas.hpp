// The gas: particles in a periodic box of square cells, and the share of it that one rank owns.
#pragma once

#include "wrap.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

struct Particle {
	double x, y, vx, vy;
	std::int64_t id;
	std::int32_t cell;

	static const wrap::Type &type(); // made on first use, kept until forget_type()
	static void forget_type();
	std::uint64_t hash() const;
	void move(double dt);
};

// Where things are. Static members, set once by configure(): the usual way of a code that has one rank per process.
class Domain {
public:
	static constexpr int side = 32;
	static constexpr int cells = side * side;

	static void configure(MPI_Comm comm);
	static int rank() { return rank_; }
	static int ranks() { return ranks_; }
	static int owner(int cell);
	static int first_cell() { return first_; }
	static int num_cells() { return count_; }
	static int cell_of(double x, double y);

private:
	static int rank_, ranks_, first_, count_;
};

// Thrown by every rank when some rank would receive more than its buffer holds.
class TooCrowded : public std::exception {
public:
	TooCrowded(std::int64_t wanted, int rank);
	const char *what() const noexcept override { return text_.c_str(); }
	std::int64_t wanted() const { return wanted_; }

private:
	std::int64_t wanted_;
	std::string text_;
};

class Gas {
public:
	Gas(MPI_Comm comm, std::int64_t total);

	void step(int number, double dt);
	std::int64_t size() const;
	std::uint64_t checksum() const;
	double energy() const;
	std::int64_t momentum_error() const;
	int retries() const { return retries_; }
	const std::map<int, std::vector<Particle>> &by_cell() const { return cells_; }

private:
	void migrate(std::vector<Particle> leaving);
	std::vector<Particle> try_exchange(const std::vector<Particle> &leaving);
	void insist(const std::vector<Particle> &leaving, int depth);
	void take(const std::vector<Particle> &arrived);
	std::vector<Particle> move_all(double dt);

	MPI_Comm comm_;
	std::int64_t total_;
	std::int64_t room_;
	int retries_ = 0;
	std::map<int, std::vector<Particle>> cells_;
};
