// particles - a gas of colliding particles in a periodic box, cells in blocks, one block per rank.
//
// usage: particles [particles] [steps]
//
// C++ the way such codes keep their state: static members, thread_local counters, objects made before main, exceptions
// that cross functions which call MPI. Collisions are worked out in the order of particle ids, and sums are kept in
// integers, so the printed numbers do not depend on the number of ranks.
#include "gas.hpp"

#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace {

// Steps this rank has made, counted by an object with a constructor in thread-local memory.
class Meter {
public:
	Meter() : count_(100) {}
	void tick() { count_++; }
	int count() const { return count_ - 100; }

private:
	int count_;
};

thread_local Meter steps_made;

// Things to check at the end, registered by static constructors before main.
class Checks {
public:
	using Check = std::function<bool(const Gas &)>;

	Checks(const char *name, Check check) { all()[name] = std::move(check); }
	static std::map<std::string, Check> &all()
	{
		static std::map<std::string, Check> checks;
		return checks;
	}
	static int run(const Gas &gas);

private:
	static int failures_;
};

int Checks::failures_ = 0;

int Checks::run(const Gas &gas)
{
	for (const auto &[name, check] : all()) {
		if (check(gas))
			continue;
		failures_++;
		std::cerr << "particles: rank " << Domain::rank() << ": " << name << " is wrong" << std::endl;
	}
	return wrap::reduce_all(failures_, MPI_SUM, MPI_COMM_WORLD);
}

int steps = 12;
std::int64_t total = 20000;
double first_energy;

bool near(double a, double b)
{
	return a - b < 1e-7 && b - a < 1e-7;
}

// Every particle is in its cell, every cell is ours.
bool placed(const Gas &gas)
{
	for (const auto &[number, cell] : gas.by_cell()) {
		if (number < Domain::first_cell() || number >= Domain::first_cell() + Domain::num_cells())
			return false;
		for (const Particle &p : cell)
			if (p.cell != number || Domain::cell_of(p.x, p.y) != number)
				return false;
	}
	return true;
}

// The number of particles counted another way: teams of three ranks count, their first ranks add up.
bool counted_in_teams(const Gas &gas)
{
	int me = wrap::rank(MPI_COMM_WORLD);
	wrap::Comm team = wrap::split(MPI_COMM_WORLD, me / 3, -me);
	std::int64_t in_team = wrap::reduce_all(gas.size(), MPI_SUM, team.get()), all = 0;
	bool leads = wrap::rank(team.get()) == 0;
	wrap::Comm leaders = wrap::split(MPI_COMM_WORLD, leads ? 0 : 1, me);
	if (leads)
		all = wrap::reduce_all(in_team, MPI_SUM, leaders.get());
	wrap::must(MPI_Bcast(&all, 1, MPI_INT64_T, 0, team.get()));
	return all == total;
}

const Checks check_place("the place of a particle", placed);
const Checks check_count("the number of particles", counted_in_teams);
const Checks check_energy("the energy", [](const Gas &gas) { return near(gas.energy(), first_energy); });
const Checks check_momentum("the momentum", [](const Gas &gas) { return gas.momentum_error() < 10; });
const Checks check_retries("the number of retries", [](const Gas &gas) { return gas.retries() == 1; });
const Checks check_meter("the number of steps made", [](const Gas &) { return steps_made.count() == steps; });
const Checks check_owners("the owners alive", [](const Gas &) { return wrap::Comm::alive() == 0 && wrap::Type::alive() == 1; });

// With static members shared by several ranks all but the last would act on the wrong cells and wait for ever.
void check_own_statics()
{
	wrap::must(MPI_Barrier(MPI_COMM_WORLD));
	int me = wrap::rank(MPI_COMM_WORLD), wrong = me != Domain::rank();
	wrong = wrap::reduce_all(wrong, MPI_SUM, MPI_COMM_WORLD);
	if (wrong == 0)
		return;
	std::ostringstream text;
	if (me == 0)
		text << wrong << " ranks read the static members of another rank";
	throw std::runtime_error(text.str());
}

void report(int step, const Gas &gas)
{
	double energy = gas.energy();
	std::uint64_t checksum = wrap::reduce_all(gas.checksum(), MPI_SUM, MPI_COMM_WORLD);
	if (Domain::rank() == 0)
		std::cout << "step " << std::setw(3) << step << "  energy " << std::fixed << std::setprecision(9) << energy
		          << "  state " << std::hex << checksum << std::dec << std::endl;
}

int simulate()
{
	Domain::configure(MPI_COMM_WORLD);
	check_own_statics();
	if (Domain::rank() == 0)
		std::cout << "particles: " << total << " in " << Domain::side << " x " << Domain::side << " cells, " << steps
		          << " steps" << std::endl;
	Gas gas(MPI_COMM_WORLD, total);
	first_energy = gas.energy();
	report(0, gas);
	for (int step = 1; step <= steps; step++) {
		gas.step(step, 0.04);
		steps_made.tick();
		if (step % 4 == 0 || step == steps)
			report(step, gas);
	}
	int failures = Checks::run(gas);
	Particle::forget_type();
	if (Domain::rank() == 0)
		std::cout << (failures ? "FAILED particles" : "PASS particles") << std::endl;
	return failures != 0;
}

int guarded()
{
	try {
		return simulate();
	} catch (const std::exception &problem) {
		if (*problem.what())
			std::cout << "FAILED particles: " << problem.what() << std::endl;
		return 1;
	}
}

} // namespace

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	if (argc > 1)
		total = std::atoll(argv[1]);
	if (argc > 2)
		steps = std::atoi(argv[2]);
	if (wrap::size(MPI_COMM_WORLD) > Domain::cells || total < 1 || steps < 0) {
		std::cerr << "usage: particles [particles] [steps], at most " << Domain::cells << " ranks" << std::endl;
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	int code = guarded();
	MPI_Finalize();
	return code;
}
