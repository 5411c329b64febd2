/* Are the program's C++ functions called: attributes, error handlers, generalized requests; and are exceptions thrown? */
#include "check.h"

static int copies, deletions, handled_class, classes_seen;

static int copy(const MPI::Comm &comm, int, void *extra, void *in, void *out, bool &flag)
{
	copies += comm.Get_size() == size && *static_cast<int *>(extra) == 5;
	*static_cast<void **>(out) = in;
	flag = true;
	return MPI::SUCCESS;
}

static int destroy(MPI::Comm &comm, int, void *value, void *)
{
	classes_seen += dynamic_cast<MPI::Cartcomm *>(&comm) != NULL ? 100 : dynamic_cast<MPI::Intracomm *>(&comm) != NULL;
	deletions += value == &copies;
	return MPI::SUCCESS;
}

static void attributes()
{
	int extra = 5, dims[1] = {size}, key = MPI::Comm::Create_keyval(copy, destroy, &extra), *value = NULL;
	int dup_key = MPI::Comm::Create_keyval(MPI::Comm::DUP_FN, MPI::Comm::NULL_DELETE_FN, NULL);
	bool periods[1] = {true};
	MPI::Intracomm first = MPI::COMM_WORLD.Dup();

	first.Set_attr(key, &copies);
	first.Set_attr(dup_key, &extra);
	MPI::Intracomm second = first.Dup();
	CHECK(second.Get_attr(key, &value) && value == &copies);
	CHECK(second.Get_attr(dup_key, &value) && value == &extra);
	MPI::Cartcomm ring = MPI::COMM_WORLD.Create_cart(1, dims, periods, false);
	CHECK(!ring.Get_attr(key, &value));
	ring.Set_attr(key, &copies);
	second.Delete_attr(key);
	first.Free();
	second.Free();
	ring.Free();
	CHECK_INT(copies, 1);
	CHECK_INT(deletions, 3);
	CHECK_INT(classes_seen, 102);
	MPI::Comm::Free_keyval(key);
	MPI::Comm::Free_keyval(dup_key);
	CHECK_INT(key, MPI::KEYVAL_INVALID);
}

static int copy_type(const MPI::Datatype &type, int, void *, void *in, void *out, bool &flag)
{
	copies += type.Get_size() == (int)sizeof(double);
	*static_cast<void **>(out) = in;
	flag = true;
	return MPI::SUCCESS;
}

static void type_attributes()
{
	void *value;
	int key = MPI::Datatype::Create_keyval(copy_type, MPI::Datatype::NULL_DELETE_FN, NULL);
	MPI::Datatype one = MPI::DOUBLE.Dup();

	copies = 0;
	one.Set_attr(key, &key);
	MPI::Datatype two = one.Dup();
	CHECK(two.Get_attr(key, &value) && value == &key);
	CHECK_INT(copies, 1);
	one.Free();
	two.Free();
	MPI::Datatype::Free_keyval(key);
}

static void remember(MPI::Comm &comm, int *code, ...)
{
	CHECK_INT(comm.Get_size(), size);
	handled_class = MPI::Get_error_class(*code);
}

static void remember_twice(MPI::Comm &, int *code, ...) { handled_class = 2 * MPI::Get_error_class(*code); }

static void handlers()
{
	MPI::Intracomm comm = MPI::COMM_WORLD.Dup(), other = MPI::COMM_WORLD.Dup();
	MPI::Errhandler one = MPI::Comm::Create_errhandler(remember), two = MPI::Comm::Create_errhandler(remember_twice);
	int nothing = 0;

	comm.Set_errhandler(one);
	other.Set_errhandler(two);
	CHECK(comm.Get_errhandler() == one);
	one.Free();
	two.Free();
	comm.Send(&nothing, 1, MPI::INT, size, 0);
	CHECK_INT(handled_class, MPI::ERR_RANK);
	other.Send(&nothing, -1, MPI::INT, 0, 0);
	CHECK_INT(handled_class, 2 * MPI::ERR_COUNT);
	comm.Call_errhandler(MPI::ERR_OTHER);
	CHECK_INT(handled_class, MPI::ERR_OTHER);
	comm.Set_errhandler(MPI::ERRORS_RETURN);
	comm.Send(&nothing, 1, MPI::INT, size, 0);
	comm.Free();
	other.Free();
}

static int thrown_by(const MPI::Comm &comm, int dest, int tag)
{
	int nothing = 0;

	try {
		comm.Send(&nothing, 0, MPI::INT, dest, tag);
	} catch (MPI::Exception &e) {
		CHECK(strlen(e.Get_error_string()) > 0 && MPI::Get_error_class(e.Get_error_code()) == e.Get_error_class());
		return e.Get_error_class();
	}
	return MPI::SUCCESS;
}

static void exceptions()
{
	MPI::Intracomm comm = MPI::COMM_WORLD.Dup();

	comm.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
	for (int i = 0; i < 100; i++) {
		CHECK_INT(thrown_by(comm, size, 0), MPI::ERR_RANK);
		CHECK_INT(thrown_by(comm, 0, -5), MPI::ERR_TAG);
		CHECK_INT(thrown_by(comm, MPI::PROC_NULL, 0), MPI::SUCCESS);
	}
	comm.Free();
}

static int queries, frees;

static int query(void *extra, MPI::Status &status)
{
	queries++;
	status.Set_elements(MPI::INT, *static_cast<int *>(extra));
	status.Set_cancelled(false);
	status.Set_source(3);
	status.Set_tag(4);
	return MPI::SUCCESS;
}

static int release(void *)
{
	frees++;
	return MPI::SUCCESS;
}

static int cancel(void *, bool) { return MPI::SUCCESS; }

static void generalized()
{
	int elements = 17;
	MPI::Status status;
	MPI::Grequest request;

	request = request.Start(query, release, cancel, &elements); /* static, but not in MPICH */

	CHECK(!request.Test());
	request.Complete();
	request.Wait(status);
	CHECK_INT(status.Get_elements(MPI::INT), 17);
	CHECK(status.Get_source() == 3 && status.Get_tag() == 4 && !status.Is_cancelled());
	CHECK(queries == 1 && frees == 1);
}

int main(int argc, char **argv)
{
	MPI::Init(argc, argv);
	rank = MPI::COMM_WORLD.Get_rank();
	size = MPI::COMM_WORLD.Get_size();
	attributes();
	type_attributes();
	handlers();
	exceptions();
	generalized();
	return check_end("cxx_callbacks");
}
