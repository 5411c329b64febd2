/* Are objects of the C++ bindings good before main, in both directions to C, and as communicators, groups, types, Info? */
#include "check.h"

struct Early {
	bool good;
	Early() : good(MPI::COMM_WORLD == MPI_COMM_WORLD && MPI::COMM_WORLD != MPI::COMM_NULL && MPI::INT != MPI::DOUBLE) {}
};

static Early early;

static void conversions()
{
	MPI_Comm c_comm = MPI::COMM_WORLD;
	MPI_Datatype c_type = MPI::INT;
	MPI::Intracomm comm = c_comm, none, nothing(MPI::COMM_NULL);
	MPI::Datatype type(c_type);
	MPI::Status status;
	MPI_Status c_status = status;
	int n;

	CHECK(early.good && comm == MPI::COMM_WORLD && none == MPI::COMM_NULL && nothing == none);
	comm = MPI::COMM_NULL;
	CHECK(comm == none && type == MPI::INT);
	comm = MPI_COMM_SELF;
	MPI_Comm_size(comm, &n);
	CHECK_INT(n, 1);
	c_status.MPI_TAG = 12;
	status = c_status;
	CHECK_INT(status.Get_tag(), 12);
	CHECK_INT(MPI::Comm::Compare(MPI::COMM_WORLD, c_comm == MPI_COMM_NULL ? MPI::COMM_SELF : MPI::COMM_WORLD), MPI::IDENT);
}

static void communicators()
{
	char name[MPI::MAX_OBJECT_NAME];
	int length, ranks[1] = {rank}, translated[1];
	MPI::Comm &clone = MPI::COMM_WORLD.Clone();
	MPI::Intracomm half = MPI::COMM_WORLD.Split(rank % 2, -rank);
	MPI::Group all = MPI::COMM_WORLD.Get_group(), some = half.Get_group(), both = MPI::Group::Intersect(all, some), rest;

	CHECK(MPI::Comm::Compare(clone, MPI::COMM_WORLD) == MPI::CONGRUENT && !clone.Is_inter() && clone.Get_topology() == MPI::UNDEFINED);
	clone.Free();
	delete &clone;
	CHECK_INT(half.Get_rank(), half.Get_size() - 1 - rank / 2);
	CHECK_INT(both.Get_size(), half.Get_size());
	MPI::Group::Translate_ranks(all, 1, ranks, some, translated);
	CHECK_INT(translated[0], half.Get_rank());
	rest = MPI::Group::Difference(all, all);
	CHECK(MPI::Group::Compare(rest, MPI::GROUP_EMPTY) == MPI::IDENT && all.Incl(1, ranks).Get_size() == 1);
	half.Set_name("half");
	half.Get_name(name, length);
	CHECK(strcmp(name, "half") == 0 && length == 4);
	if (size > 1) {
		MPI::Intercomm between = half.Create_intercomm(0, MPI::COMM_WORLD, rank % 2 ? (size - 1) / 2 * 2 : size / 2 * 2 - 1, 3);
		CHECK(between.Is_inter() && between.Get_remote_size() == size - half.Get_size());
		MPI::Intercomm &copy = between.Clone();
		MPI::Intracomm merged = copy.Merge(rank % 2);
		copy.Free();
		delete &copy;
		CHECK_INT(merged.Get_size(), size);
		merged.Free();
		between.Free();
	}
	both.Free();
	all.Free();
	some.Free();
	half.Free();
}

static void topologies()
{
	int dims[2] = {0, 0}, got_dims[2], coords[2], source, dest, mine[2];
	bool periods[2] = {true, false}, got_periods[2], remain[2] = {false, true};

	MPI::Compute_dims(size, 2, dims);
	MPI::Cartcomm grid = MPI::COMM_WORLD.Create_cart(2, dims, periods, false);
	CHECK(grid.Get_topology() == MPI::CART && grid.Get_dim() == 2);
	grid.Get_topo(2, got_dims, got_periods, coords);
	CHECK(got_dims[0] == dims[0] && got_periods[0] && !got_periods[1]);
	grid.Get_coords(rank, 2, mine);
	CHECK(grid.Get_cart_rank(mine) == rank && mine[1] == coords[1]);
	grid.Shift(0, 1, source, dest);
	CHECK_INT(dest, (coords[0] + 1) % dims[0] * dims[1] + coords[1]);
	MPI::Cartcomm row = grid.Sub(remain), &copy = grid.Clone(), twin = grid.Dup();
	CHECK_INT(row.Get_size(), dims[1]);
	CHECK(copy.Get_dim() == 2 && twin.Get_dim() == 2);
	copy.Free();
	delete &copy;
	row.Free();
	twin.Free();
	grid.Free();

	int *index = new int[size], *edges = new int[size], neighbor, nodes, arcs;
	for (int i = 0; i < size; i++) {
		index[i] = i + 1;
		edges[i] = (i + 1) % size;
	}
	MPI::Graphcomm circle = MPI::COMM_WORLD.Create_graph(size, index, edges, false);
	circle.Get_dims(&nodes, &arcs);
	CHECK(nodes == size && arcs == size && circle.Get_neighbors_count(rank) == 1);
	circle.Get_neighbors(rank, 1, &neighbor);
	CHECK_INT(neighbor, (rank + 1) % size);
	circle.Free();
	delete[] index;
	delete[] edges;
}

static void types_and_info()
{
	int lengths[3] = {1, 2}, integers, addresses, types, combiner, length;
	MPI::Aint places[2] = {0, 8}, lb, extent;
	MPI::Datatype parts[2] = {MPI::INT, MPI::DOUBLE}, made = MPI::Datatype::Create_struct(2, lengths, places, parts);
	char name[MPI::MAX_OBJECT_NAME], value[32];
	MPI::Info info = MPI::Info::Create();

	made.Get_extent(lb, extent);
	made.Get_envelope(integers, addresses, types, combiner);
	CHECK(extent == 24 && made.Get_size() == 20 && combiner == MPI::COMBINER_STRUCT);
	MPI::Datatype got[2];
	made.Get_contents(3, 2, 2, lengths, places, got);
	CHECK(got[1] == MPI::DOUBLE);
	made.Free();
	CHECK(made == MPI::DATATYPE_NULL);
	MPI::BOOL.Get_name(name, length);
	CHECK(strcmp(name, "MPI::BOOL") == 0 && length == 9);
	info.Set("key", "value");
	MPI::Info second = info.Dup();
	info.Delete("key");
	CHECK(info.Get_nkeys() == 0 && second.Get("key", 31, value) && strcmp(value, "value") == 0);
	CHECK(second.Get_valuelen("key", length) && length == 5);
	info.Free();
	second.Free();
}

static void environment()
{
	char name[MPI::MAX_PROCESSOR_NAME];
	int length, version, subversion, added = MPI::Add_error_class(), code = MPI::Add_error_code(added), *tag_ub;
	double start = MPI::Wtime();

	MPI::Get_processor_name(name, length);
	MPI::Get_version(version, subversion);
	CHECK(length > 0 && version >= 3 && MPI::Wtick() > 0 && MPI::Wtime() >= start);
	CHECK_INT(MPI::Get_error_class(code), added);
	CHECK(MPI::Is_initialized() && !MPI::Is_finalized() && MPI::Is_thread_main());
	CHECK(MPI::COMM_WORLD.Get_attr(MPI::TAG_UB, &tag_ub) && *tag_ub >= 32767);
	void *memory = MPI::Alloc_mem(100, MPI::INFO_NULL);
	CHECK(memory != NULL && MPI::Get_address(memory) == (MPI::Aint)memory);
	MPI::Free_mem(memory);
	MPI::Pcontrol(1, "x");
}

int main(int argc, char **argv)
{
	CHECK(MPI::Init_thread(argc, argv, MPI::THREAD_FUNNELED) >= MPI::THREAD_SINGLE);
	rank = MPI::COMM_WORLD.Get_rank();
	size = MPI::COMM_WORLD.Get_size();
	conversions();
	communicators();
	topologies();
	types_and_info();
	environment();
	return check_end("cxx_objects");
}
