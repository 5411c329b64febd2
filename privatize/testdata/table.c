/* Large initialised data: plain, with pointers in its middle, and none of it written by anybody but the test. */
enum { N = 1 << 18 };

long plain[N] = {[0] = 1, [N / 2] = 2, [N - 1] = 3};

struct row {
	long number;
	long *where;
};
struct row rows[N] = {[0] = {1, 0}, [N / 2] = {7, &plain[N / 2]}, [N - 1] = {9, 0}};

long zeros[N]; /* .bss */

int main(void)
{
	return plain[0] + rows[0].number + zeros[0] != 2;
}
