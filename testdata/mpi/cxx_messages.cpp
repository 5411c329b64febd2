/* Do messages of the C++ bindings arrive: all modes, requests one by one and in arrays, persistent ones, probing, packing? */
#include "check.h"

static int left, right;

static void modes(MPI::Comm &comm)
{
	int out[4], in[4];
	MPI::Status status;
	MPI::Request requests[4];
	MPI::Status statuses[4];
	char space[1024];
	void *detached;

	for (int i = 0; i < 4; i++) {
		out[i] = 10 * rank + i;
		requests[i] = comm.Irecv(&in[i], 1, MPI::INT, left, i);
	}
	comm.Barrier();
	MPI::Attach_buffer(space, sizeof space);
	comm.Send(&out[0], 1, MPI::INT, right, 0);
	comm.Bsend(&out[1], 1, MPI::INT, right, 1);
	MPI::Request sent = comm.Issend(&out[2], 1, MPI::INT, right, 2);
	comm.Rsend(&out[3], 1, MPI::INT, right, 3);
	MPI::Request::Waitall(4, requests, statuses);
	sent.Wait();
	CHECK_INT(MPI::Detach_buffer(detached), (int)sizeof space);
	CHECK(detached == space);
	for (int i = 0; i < 4; i++) {
		CHECK_INT(in[i], 10 * left + i);
		CHECK_INT(statuses[i].Get_source(), left);
		CHECK_INT(statuses[i].Get_tag(), i);
		CHECK_INT(statuses[i].Get_count(MPI::INT), 1);
		CHECK(requests[i] == MPI::REQUEST_NULL);
	}
	comm.Sendrecv(out, 4, MPI::INT, right, 5, in, 4, MPI::INT, left, 5, status);
	CHECK_INT(status.Get_elements(MPI::INT), 4);
	comm.Sendrecv_replace(out, 4, MPI::INT, right, 6, MPI::ANY_SOURCE, MPI::ANY_TAG);
	CHECK_INT(out[3], 10 * left + 3);
}

static void persistent(const MPI::Comm &comm)
{
	int out = 0, in = -1, index = 0, indices[2];
	MPI::Prequest both[2] = {comm.Recv_init(&in, 1, MPI::INT, left, 1), comm.Send_init(&out, 1, MPI::INT, right, 1)};
	MPI::Request *as_requests = both;

	for (int round = 0; round < 3; round++) {
		out = rank + round;
		MPI::Prequest::Startall(2, both);
		if (round == 0) {
			for (int done = 0; done < 2;)
				done += MPI::Request::Waitsome(2, as_requests, indices);
		} else if (round == 1) {
			MPI::Request::Waitany(2, as_requests);
			while (!MPI::Request::Testany(2, as_requests, index) || index != MPI::UNDEFINED)
				;
		} else {
			while (!MPI::Request::Testall(2, as_requests))
				;
		}
		CHECK_INT(in, left + round);
	}
	both[0].Free();
	both[1].Free();
	CHECK(both[0] == MPI::REQUEST_NULL);
}

static void probing(const MPI::Comm &comm)
{
	double values[3] = {rank + 0.5, 1, 2}, got[3];
	char packed[64];
	int position = 0, number = 0;
	MPI::Status status;

	CHECK(MPI::DOUBLE.Pack_size(3, comm) + MPI::INT.Pack_size(1, comm) <= 64);
	MPI::DOUBLE.Pack(values, 3, packed, 64, position, comm);
	MPI::INT.Pack(&rank, 1, packed, 64, position, comm);
	MPI::Request request = comm.Isend(packed, position, MPI::PACKED, right, 9);
	comm.Probe(left, MPI::ANY_TAG, status);
	CHECK(comm.Iprobe(left, 9));
	CHECK_INT(status.Get_tag(), 9);
	char *buffer = new char[status.Get_count(MPI::PACKED)];
	comm.Recv(buffer, status.Get_count(MPI::PACKED), MPI::PACKED, left, 9);
	request.Wait(status);
	position = 0;
	MPI::DOUBLE.Unpack(buffer, 64, got, 3, position, comm);
	MPI::INT.Unpack(buffer, 64, &number, 1, position, comm);
	CHECK(got[0] == left + 0.5 && number == left);
	delete[] buffer;
}

static void cancelled(const MPI::Comm &comm)
{
	int unused;
	MPI::Status status;
	MPI::Request request = comm.Irecv(&unused, 1, MPI::INT, left, 77);

	CHECK(!request.Get_status());
	request.Cancel();
	request.Wait(status);
	CHECK(status.Is_cancelled());
}

int main(int argc, char **argv)
{
	MPI::Init(argc, argv);
	rank = MPI::COMM_WORLD.Get_rank();
	size = MPI::COMM_WORLD.Get_size();
	left = (rank + size - 1) % size;
	right = (rank + 1) % size;
	MPI::Intracomm twin = MPI::COMM_WORLD.Dup();
	modes(twin);
	persistent(twin);
	probing(MPI::COMM_WORLD);
	cancelled(twin);
	twin.Free();
	CHECK(twin == MPI::COMM_NULL);
	return check_end("cxx_messages");
}
