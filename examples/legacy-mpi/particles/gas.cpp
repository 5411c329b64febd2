#include "gas.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

int Domain::rank_ = -1;
int Domain::ranks_ = 0;
int Domain::first_ = 0;
int Domain::count_ = 0;

namespace {

std::unique_ptr<wrap::Type> particle_type;

std::uint64_t mix(std::uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

// A number in [0, 1), a multiple of 2^-20: sums of many are exact.
double fraction(std::uint64_t seed)
{
	return static_cast<double>(mix(seed) >> 44) / 1048576.0;
}

Particle born(std::int64_t id)
{
	std::uint64_t seed = 4 * static_cast<std::uint64_t>(id);
	Particle p{};
	p.x = fraction(seed);
	p.y = fraction(seed + 1);
	p.vx = fraction(seed + 2) - 0.5;
	p.vy = fraction(seed + 3) - 0.5;
	p.id = id;
	p.cell = Domain::cell_of(p.x, p.y);
	return p;
}

double wrapped(double x)
{
	return x - std::floor(x);
}

bool lower_id(const Particle &a, const Particle &b)
{
	return a.id < b.id;
}

// Turn the velocities of a cell by a right angle about their mean, left or right as chance decides for this cell and
// step. Momentum and energy of the cell stay the same. The order of the particles is that of their ids, so the result
// does not depend on the way they came.
void collide(std::vector<Particle> &cell, int number, int step)
{
	if (cell.size() < 2)
		return;
	std::sort(cell.begin(), cell.end(), lower_id);
	double mx = 0, my = 0;
	for (const Particle &p : cell) {
		mx += p.vx;
		my += p.vy;
	}
	mx /= static_cast<double>(cell.size());
	my /= static_cast<double>(cell.size());
	double sign = (mix(static_cast<std::uint64_t>(number) * 65536 + step) & 1) ? 1.0 : -1.0;
	for (Particle &p : cell) {
		double dx = p.vx - mx, dy = p.vy - my;
		p.vx = mx - sign * dy;
		p.vy = my + sign * dx;
	}
}

wrap::Type make_particle_type()
{
	int lengths[] = {4, 1, 1};
	MPI_Aint places[] = {offsetof(Particle, x), offsetof(Particle, id), offsetof(Particle, cell)};
	MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT64_T, MPI_INT32_T}, plain, padded;

	wrap::must(MPI_Type_create_struct(3, lengths, places, types, &plain));
	wrap::Type parts(plain);
	wrap::must(MPI_Type_create_resized(plain, 0, sizeof(Particle), &padded));
	wrap::Type whole(padded);
	wrap::must(MPI_Type_commit(&padded));
	return whole;
}

// Ends a failed attempt in all ranks together: its destructor meets the others while the exception is on its way.
class Rendezvous {
public:
	explicit Rendezvous(MPI_Comm comm) : comm_(comm), pending_(std::uncaught_exceptions()) {}
	~Rendezvous()
	{
		if (std::uncaught_exceptions() > pending_)
			MPI_Barrier(comm_);
	}

private:
	MPI_Comm comm_;
	int pending_;
};

} // namespace

const wrap::Type &Particle::type()
{
	if (!particle_type)
		particle_type = std::make_unique<wrap::Type>(make_particle_type());
	return *particle_type;
}

void Particle::forget_type()
{
	particle_type.reset();
}

std::uint64_t Particle::hash() const
{
	double parts[] = {x, y, vx, vy};
	std::uint64_t h = static_cast<std::uint64_t>(id);
	for (double d : parts) {
		std::uint64_t bits;
		std::memcpy(&bits, &d, sizeof bits);
		h = mix(h ^ bits);
	}
	return h;
}

void Particle::move(double dt)
{
	x = wrapped(x + dt * vx);
	y = wrapped(y + dt * vy);
	cell = Domain::cell_of(x, y);
}

void Domain::configure(MPI_Comm comm)
{
	rank_ = wrap::rank(comm);
	ranks_ = wrap::size(comm);
	int share = cells / ranks_, rest = cells % ranks_;
	first_ = rank_ * share + std::min(rank_, rest);
	count_ = share + (rank_ < rest);
}

int Domain::owner(int cell)
{
	int share = cells / ranks_, rest = cells % ranks_, large = rest * (share + 1);
	return cell < large ? cell / (share + 1) : rest + (cell - large) / share;
}

int Domain::cell_of(double x, double y)
{
	int i = std::min(static_cast<int>(x * side), side - 1), j = std::min(static_cast<int>(y * side), side - 1);
	return j * side + i;
}

TooCrowded::TooCrowded(std::int64_t wanted, int rank)
    : wanted_(wanted), text_("rank " + std::to_string(rank) + ": no room for " + std::to_string(wanted) + " particles")
{
}

// Particles are born in the rank that holds their block of ids, then go to the owners of their cells.
Gas::Gas(MPI_Comm comm, std::int64_t total) : comm_(comm), total_(total), room_(1)
{
	std::int64_t ranks = Domain::ranks(), me = Domain::rank();
	std::int64_t mine = total / ranks + (me < total % ranks ? 1 : 0);
	std::int64_t first = wrap::sum_below(mine, comm);
	if (wrap::sum_up_to(mine, comm) != first + mine)
		throw std::logic_error("scan and exscan disagree");
	std::vector<Particle> all;
	for (std::int64_t id = first; id < first + mine; id++)
		all.push_back(born(id));
	migrate(std::move(all));
}

// One attempt. All ranks throw TooCrowded, or none does: the decision is a reduction.
std::vector<Particle> Gas::try_exchange(const std::vector<Particle> &leaving)
{
	Rendezvous together(comm_);
	std::vector<int> send(Domain::ranks(), 0);
	for (const Particle &p : leaving)
		send[Domain::owner(p.cell)]++;
	std::vector<int> receive = wrap::exchange_counts(send, comm_);
	std::int64_t incoming = 0;
	for (int n : receive)
		incoming += n;
	std::int64_t most = wrap::reduce_all(incoming, MPI_MAX, comm_);
	if (most > room_)
		throw TooCrowded(most, Domain::rank());

	std::vector<int> from = wrap::offsets(send), to = wrap::offsets(receive), next = from;
	std::vector<Particle> packed(leaving.size()), arrived(static_cast<std::size_t>(incoming));
	for (const Particle &p : leaving)
		packed[next[Domain::owner(p.cell)]++] = p;
	MPI_Datatype type = Particle::type().get();
	wrap::must(MPI_Alltoallv(packed.data(), send.data(), from.data(), type, arrived.data(), receive.data(), to.data(), type,
	                         comm_));
	return arrived;
}

// Recursion gives the unwinder some frames to walk.
void Gas::insist(const std::vector<Particle> &leaving, int depth)
{
	if (depth == 0)
		take(try_exchange(leaving));
	else
		insist(leaving, depth - 1);
}

void Gas::migrate(std::vector<Particle> leaving)
{
	for (;;) {
		try {
			insist(leaving, 5);
			return;
		} catch (const TooCrowded &problem) {
			// The message names the rank that threw: with globals shared it is another one.
			if (std::string(problem.what()).find("rank " + std::to_string(wrap::rank(comm_)) + ":") != 0)
				throw std::logic_error("caught the exception of another rank");
			room_ = wrap::reduce_all(problem.wanted(), MPI_MAX, comm_) + total_ / 8;
			retries_++;
		}
	}
}

void Gas::take(const std::vector<Particle> &arrived)
{
	for (const Particle &p : arrived)
		cells_[p.cell].push_back(p);
}

std::vector<Particle> Gas::move_all(double dt)
{
	std::vector<Particle> all;
	for (auto &[number, cell] : cells_)
		for (Particle &p : cell) {
			p.move(dt);
			all.push_back(p);
		}
	cells_.clear();
	return all;
}

void Gas::step(int number, double dt)
{
	migrate(move_all(dt));
	for (auto &[cell, particles] : cells_)
		collide(particles, cell, number);
}

std::int64_t Gas::size() const
{
	std::int64_t n = 0;
	for (const auto &[number, cell] : cells_)
		n += static_cast<std::int64_t>(cell.size());
	return n;
}

// Of this rank; the sum over ranks, modulo 2^64, does not depend on their number.
std::uint64_t Gas::checksum() const
{
	std::uint64_t sum = 0;
	for (const auto &[number, cell] : cells_)
		for (const Particle &p : cell)
			sum += p.hash();
	return sum;
}

double Gas::energy() const
{
	std::int64_t sum = 0;
	for (const auto &[number, cell] : cells_)
		for (const Particle &p : cell)
			sum += std::llround((p.vx * p.vx + p.vy * p.vy) * 0.5 * 1099511627776.0);
	return static_cast<double>(wrap::reduce_all(sum, MPI_SUM, comm_)) / 1099511627776.0;
}

// Change of the momentum since birth, both components, in units of 2^-30.
std::int64_t Gas::momentum_error() const
{
	double sum[2] = {0, 0}, all[2];
	for (const auto &[number, cell] : cells_)
		for (const Particle &p : cell) {
			Particle then = born(p.id);
			sum[0] += p.vx - then.vx;
			sum[1] += p.vy - then.vy;
		}
	wrap::must(MPI_Allreduce(sum, all, 2, MPI_DOUBLE, MPI_SUM, comm_));
	return std::llround(std::fabs(all[0]) * 1073741824.0) + std::llround(std::fabs(all[1]) * 1073741824.0);
}
