#include <cstdlib>

namespace solver {
struct Grid {
	int n;
	int step(int k);
};
int Grid::step(int k)
{
	return n * k + std::abs(k); // line 10
}
} // namespace solver

static int helper(int k)
{
	return k * 3 + std::rand(); // line 16
}

int main(int argc, char **)
{
	solver::Grid g{argc};
	return g.step(2) + helper(argc);
}
