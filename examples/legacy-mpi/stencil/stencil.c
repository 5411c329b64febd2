/*
 * stencil - explicit heat conduction in a box, 7-point stencil, 3-D blocks.
 *
 * The state of a rank lives where codes of this age keep it: in file-scope variables, in statics of functions, in
 * the C library (getopt, strtok, rand, stdio). Nothing here would survive several ranks sharing one set of globals,
 * and the program finds out by itself: see check_own_globals().
 *
 * The start field is an eigenvector of the discrete Laplacian, so the exact field after n steps is known for each
 * cell. Every cell is computed by the same expression on every decomposition, sums are kept in fixed point, and so
 * the printed numbers do not depend on the number of ranks.
 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PI 3.14159265358979323846
#define FIXED_POINT 1099511627776.0 /* 2^40 */
#define TOLERANCE 1e-12
#define SPOTS 16
#define NAME_MAX_LEN 512

enum { X, Y, Z, NDIMS };
enum { LOW, HIGH };

/* Parameters: read by rank 0, broadcast. */
struct params {
	int cells[NDIMS];
	int steps;
	int report;
	int keep;
	double number; /* Fourier number, below 1/6 for stability */
	char dir[NAME_MAX_LEN];
	int own_dir;
};

static struct params par = {{48, 40, 36}, 40, 10, 0, 0.125, "", 0};

/* Decomposition. */
int my_rank = -1, num_ranks = -1;
int blocks[NDIMS];        /* ranks along each direction */
int place[NDIMS];         /* of this rank among them */
int first[NDIMS];         /* global index of the first own cell */
int count[NDIMS];         /* own cells; zero in a rank without a block */
int neighbour[NDIMS][2];
int has_block;

/* Fields with one layer of halo, and what moves the halo. */
static double *u, *unew;
static double *mode[NDIMS]; /* sin(pi x) of the own cells, per direction */
static MPI_Datatype face[NDIMS];

/* Output. */
static char file_name[NAME_MAX_LEN + 32];
static FILE *out;
static int failures;

static size_t at(int i, int j, int k)
{
	return ((size_t)k * (count[Y] + 2) + j) * (count[X] + 2) + i;
}

static void complain(const char *what, double value)
{
	if (failures++ < 3)
		fprintf(stderr, "stencil: rank %d: %s (%g)\n", my_rank, what, value);
}

static void give_up(const char *what)
{
	fprintf(stderr, "stencil: rank %d: %s: %s\n", my_rank, what, strerror(errno));
	MPI_Abort(MPI_COMM_WORLD, 2);
}

/* ---- parameters ---------------------------------------------------------------------------------------------- */

/* "48x40x36" */
static void parse_cells(char *spec)
{
	char *word = strtok(spec, "x");

	for (int d = 0; d < NDIMS && word; d++, word = strtok(NULL, "x"))
		par.cells[d] = atoi(word);
}

static void usage(void)
{
	if (my_rank == 0)
		fprintf(stderr, "usage: stencil [-c 48x40x36] [-s steps] [-r report every] [-f fourier] [-d dir] [-k]\n");
	MPI_Finalize();
	exit(2);
}

static void parse_arguments(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "c:s:r:f:d:k")) != -1)
		switch (c) {
		case 'c': parse_cells(optarg); break;
		case 's': par.steps = atoi(optarg); break;
		case 'r': par.report = atoi(optarg); break;
		case 'f': par.number = atof(optarg); break;
		case 'd': snprintf(par.dir, sizeof par.dir, "%s", optarg); break;
		case 'k': par.keep = 1; break;
		default: usage();
		}
	if (par.steps < 0 || par.report < 1 || par.cells[X] < 1 || par.cells[Y] < 1 || par.cells[Z] < 1)
		usage();
}

static void make_directory(void)
{
	const char *tmp = getenv("TMPDIR");

	if (par.dir[0]) {
		if (mkdir(par.dir, 0777) != 0 && errno != EEXIST)
			give_up(par.dir);
		return;
	}
	snprintf(par.dir, sizeof par.dir, "%s/stencil.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(par.dir))
		give_up(par.dir);
	par.own_dir = 1;
}

static void share_parameters(void)
{
	if (my_rank == 0)
		make_directory();
	MPI_Bcast(par.cells, NDIMS, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(&par.steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(&par.report, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(&par.keep, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(&par.number, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Bcast(par.dir, sizeof par.dir, MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Bcast(&par.own_dir, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

/* ---- decomposition ------------------------------------------------------------------------------------------- */

/* Surface of the largest block, the measure to minimise; -1 when a direction has more blocks than cells. */
static double surface(int bx, int by, int bz)
{
	double x = ceil((double)par.cells[X] / bx), y = ceil((double)par.cells[Y] / by), z = ceil((double)par.cells[Z] / bz);

	if (bx > par.cells[X] || by > par.cells[Y] || bz > par.cells[Z])
		return -1;
	return x * y + y * z + z * x;
}

static int factorise(int n)
{
	double best = -1;

	for (int bx = 1; bx <= n; bx++)
		for (int by = 1; n % bx == 0 && by <= n / bx; by++) {
			double s = (n / bx) % by == 0 ? surface(bx, by, n / bx / by) : -1;
			if (s > 0 && (best < 0 || s < best)) {
				best = s;
				blocks[X] = bx, blocks[Y] = by, blocks[Z] = n / bx / by;
			}
		}
	return best > 0;
}

static int rank_at(int x, int y, int z)
{
	if (x < 0 || y < 0 || z < 0 || x >= blocks[X] || y >= blocks[Y] || z >= blocks[Z])
		return MPI_PROC_NULL;
	return (z * blocks[Y] + y) * blocks[X] + x;
}

static void split_direction(int d)
{
	int share = par.cells[d] / blocks[d], rest = par.cells[d] % blocks[d], p = place[d];

	first[d] = p * share + (p < rest ? p : rest);
	count[d] = share + (p < rest);
}

static void find_neighbours(void)
{
	for (int d = 0; d < NDIMS; d++)
		for (int side = LOW; side <= HIGH; side++) {
			int p[NDIMS] = {place[X], place[Y], place[Z]};
			p[d] += side == LOW ? -1 : 1;
			neighbour[d][side] = has_block ? rank_at(p[X], p[Y], p[Z]) : MPI_PROC_NULL;
		}
}

/* The largest number of blocks not above the number of ranks that divides well; ranks beyond it stay idle. */
static void decompose(void)
{
	int n = num_ranks;

	while (!factorise(n))
		n--;
	has_block = my_rank < n;
	place[X] = my_rank % blocks[X];
	place[Y] = my_rank / blocks[X] % blocks[Y];
	place[Z] = my_rank / blocks[X] / blocks[Y];
	for (int d = 0; d < NDIMS; d++) {
		if (has_block)
			split_direction(d);
		else
			first[d] = count[d] = 0;
	}
	find_neighbours();
}

/*
 * With globals shared among ranks every rank would go on with the numbers of whoever wrote them last, and end in
 * a hang or a crash. Ask MPI again, keeping the answer on the stack, and compare before anything depends on it.
 */
static void check_own_globals(void)
{
	int rank, bad, all_bad;
	long cells = (long)count[X] * count[Y] * count[Z], all_cells;

	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	bad = rank != my_rank;
	cells = bad ? 0 : cells;
	MPI_Allreduce(&bad, &all_bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allreduce(&cells, &all_cells, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	if (all_bad == 0 && all_cells == (long)par.cells[X] * par.cells[Y] * par.cells[Z])
		return;
	if (rank == 0 && par.own_dir)
		rmdir(par.dir);
	if (rank == 0)
		printf("FAILED stencil: %d ranks read the globals of another rank, blocks cover %ld cells\n", all_bad, all_cells);
	fflush(stdout);
	MPI_Finalize();
	exit(1);
}

/* ---- fields -------------------------------------------------------------------------------------------------- */

static void make_faces(void)
{
	int n[NDIMS] = {count[Z] + 2, count[Y] + 2, count[X] + 2}, sub[NDIMS] = {count[Z], count[Y], 1}, start[NDIMS] = {0, 0, 0};
	MPI_Aint plane = (MPI_Aint)sizeof(double) * (count[X] + 2) * (count[Y] + 2);

	MPI_Type_create_subarray(NDIMS, n, sub, start, MPI_ORDER_C, MPI_DOUBLE, &face[X]);
	MPI_Type_create_hvector(count[Z], count[X], plane, MPI_DOUBLE, &face[Y]);
	MPI_Type_vector(count[Y], count[X], count[X] + 2, MPI_DOUBLE, &face[Z]);
	for (int d = 0; d < NDIMS; d++)
		MPI_Type_commit(&face[d]);
}

static void *get_memory(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		give_up("no memory for the fields");
	return p;
}

static void make_fields(void)
{
	size_t n = (size_t)(count[X] + 2) * (count[Y] + 2) * (count[Z] + 2);

	u = get_memory(n, sizeof *u);
	unew = get_memory(n, sizeof *unew);
	for (int d = 0; d < NDIMS; d++) {
		mode[d] = get_memory(count[d] + 1, sizeof(double));
		for (int i = 0; i < count[d]; i++)
			mode[d][i] = sin(PI * (first[d] + i + 1) / (par.cells[d] + 1));
	}
	for (int k = 1; k <= count[Z]; k++)
		for (int j = 1; j <= count[Y]; j++)
			for (int i = 1; i <= count[X]; i++)
				u[at(i, j, k)] = mode[X][i - 1] * mode[Y][j - 1] * mode[Z][k - 1];
}

static void free_fields(void)
{
	for (int d = 0; d < NDIMS; d++) {
		free(mode[d]);
		if (has_block)
			MPI_Type_free(&face[d]);
	}
	free(u);
	free(unew);
}

/* First own cell (or halo cell) of a face. */
static double *corner(int d, int side, int halo)
{
	int p[NDIMS] = {1, 1, 1};

	p[d] = side == LOW ? 1 - halo : count[d] + halo;
	return &u[at(p[X], p[Y], p[Z])];
}

static void exchange_halo(void)
{
	MPI_Request req[4 * NDIMS];
	MPI_Status status[4 * NDIMS];
	int n = 0;

	if (!has_block)
		return;
	for (int d = 0; d < NDIMS; d++)
		for (int side = LOW; side <= HIGH; side++)
			MPI_Irecv(corner(d, side, 1), 1, face[d], neighbour[d][side], 2 * d + !side, MPI_COMM_WORLD, &req[n++]);
	for (int d = 0; d < NDIMS; d++)
		for (int side = LOW; side <= HIGH; side++)
			MPI_Isend(corner(d, side, 0), 1, face[d], neighbour[d][side], 2 * d + side, MPI_COMM_WORLD, &req[n++]);
	MPI_Waitall(n, req, status);
}

static void advance(void)
{
	size_t row = count[X] + 2, plane = row * (count[Y] + 2);
	double *old = u;

	for (int k = 1; k <= count[Z]; k++)
		for (int j = 1; j <= count[Y]; j++) {
			double *c = &u[at(1, j, k)], *t = &unew[at(1, j, k)];
			for (int i = 0; i < count[X]; i++)
				t[i] = c[i] + par.number * (((c[i + 1] + c[i - 1]) + (c[i + row] + c[i - row])) +
				                            ((c[i + plane] + c[i - plane]) - 6.0 * c[i]));
		}
	u = unew;
	unew = old;
}

/* ---- results ------------------------------------------------------------------------------------------------- */

/* Decay of the start field in one step: the eigenvalue of the scheme. */
static double decay(void)
{
	static double lambda; /* worked out once */

	if (lambda == 0) {
		double sum = 0;
		for (int d = 0; d < NDIMS; d++)
			sum += 2 * cos(PI / (par.cells[d] + 1)) - 2;
		lambda = 1 + par.number * sum;
	}
	return lambda;
}

static double exact(int i, int j, int k, int step)
{
	return pow(decay(), step) * (mode[X][i - 1] * mode[Y][j - 1] * mode[Z][k - 1]);
}

static double worst_error(int step)
{
	double worst = 0, all, factor = pow(decay(), step);

	for (int k = 1; k <= count[Z]; k++)
		for (int j = 1; j <= count[Y]; j++)
			for (int i = 1; i <= count[X]; i++) {
				double e = fabs(u[at(i, j, k)] - factor * (mode[X][i - 1] * mode[Y][j - 1] * mode[Z][k - 1]));
				worst = e > worst ? e : worst;
			}
	MPI_Allreduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return all;
}

static int64_t own_heat(void)
{
	int64_t sum = 0;

	for (int k = 1; k <= count[Z]; k++)
		for (int j = 1; j <= count[Y]; j++)
			for (int i = 1; i <= count[X]; i++)
				sum += llround(u[at(i, j, k)] * FIXED_POINT);
	return sum;
}

static double hottest(void)
{
	double top = 0, all;

	for (int k = 1; k <= count[Z]; k++)
		for (int j = 1; j <= count[Y]; j++)
			for (int i = 1; i <= count[X]; i++)
				top = u[at(i, j, k)] > top ? u[at(i, j, k)] : top;
	MPI_Allreduce(&top, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return all;
}

/* Compare cells picked by rand() with the exact field; the random sequence goes on from report to report. */
static void check_spots(int step)
{
	for (int s = 0; has_block && s < SPOTS; s++) {
		int i = 1 + rand() % count[X], j = 1 + rand() % count[Y], k = 1 + rand() % count[Z];
		double e = fabs(u[at(i, j, k)] - exact(i, j, k, step));
		if (e > TOLERANCE)
			complain("a spot differs from the exact field", e);
	}
}

/* The sequence drawn between MPI calls must be the one that srand() promised to this rank alone. */
static void check_random_sequence(int reports)
{
	int next = rand();

	srand(1 + my_rank);
	for (int n = 0; has_block && n < 3 * SPOTS * reports; n++)
		rand();
	if (rand() != next)
		complain("rand() was drawn from by somebody else", next);
}

static void open_output(void)
{
	snprintf(file_name, sizeof file_name, "%s/heat.%05d", par.dir, my_rank);
	out = fopen(file_name, "w+");
	if (!out)
		give_up(file_name);
	fprintf(out, "rank %d\n", my_rank);
}

static void report(int step)
{
	int64_t heat = own_heat(), all = 0;
	double top = hottest();

	fprintf(out, "%d %lld\n", step, (long long)heat);
	MPI_Allreduce(&heat, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
	if (my_rank == 0)
		printf("step %4d  heat %.9f  hottest %.9f\n", step, all / FIXED_POINT, top);
	check_spots(step);
}

/* Read the file back: it must be this rank's, complete, and end with the heat of the field as it is now. */
static void check_output(int reports)
{
	long long heat = -1;
	int rank = -1, step, lines = 0;

	rewind(out);
	if (fscanf(out, "rank %d", &rank) != 1 || rank != my_rank)
		complain("the output file belongs to another rank", rank);
	while (fscanf(out, "%d %lld", &step, &heat) == 2)
		lines++;
	if (lines != reports)
		complain("the output file has another number of lines", lines);
	if (heat != own_heat())
		complain("the output file ends with another field", (double)heat);
	fclose(out);
}

static void remove_output(void)
{
	if (par.keep)
		return;
	if (remove(file_name) != 0)
		complain("the output file is gone", errno);
	MPI_Barrier(MPI_COMM_WORLD);
	if (my_rank == 0 && par.own_dir && rmdir(par.dir) != 0)
		complain("the output directory is not empty", errno);
}

static int verdict(void)
{
	int all = 0;

	MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (my_rank == 0)
		puts(all ? "FAILED stencil" : "PASS stencil");
	return all != 0;
}

static void run(void)
{
	int reports = 0;
	double error;

	for (int step = 0; step <= par.steps; step++) {
		if (step > 0) {
			exchange_halo();
			advance();
		}
		if (step % par.report == 0 || step == par.steps) {
			report(step);
			reports++;
		}
	}
	error = worst_error(par.steps);
	if (error > TOLERANCE)
		complain("the field differs from the exact one", error);
	check_output(reports);
	check_random_sequence(reports);
}

int main(int argc, char **argv)
{
	int failed;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
	parse_arguments(argc, argv);
	share_parameters();
	decompose();
	check_own_globals();
	if (my_rank == 0)
		printf("stencil: %d x %d x %d cells, %d steps\n", par.cells[X], par.cells[Y], par.cells[Z], par.steps);
	srand(1 + my_rank);
	make_fields();
	if (has_block)
		make_faces();
	open_output();
	run();
	remove_output();
	free_fields();
	failed = verdict();
	MPI_Finalize();
	return failed;
}
