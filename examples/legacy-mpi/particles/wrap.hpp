// Owners of MPI handles: freed when they leave the scope, by an exception too.
#pragma once

#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace wrap {

// An MPI call that did not return MPI_SUCCESS.
class Error : public std::runtime_error {
public:
	explicit Error(int code) : std::runtime_error(text(code)) {}

private:
	static std::string text(int code)
	{
		char buffer[MPI_MAX_ERROR_STRING];
		int length = 0;
		MPI_Error_string(code, buffer, &length);
		return std::string(buffer, length);
	}
};

inline void must(int code)
{
	if (code != MPI_SUCCESS)
		throw Error(code);
}

template <typename Handle, int (*Free)(Handle *)> class Owner {
public:
	explicit Owner(Handle handle) : handle_(handle) { alive_++; }
	Owner(Owner &&other) noexcept : handle_(other.handle_), owns_(std::exchange(other.owns_, false)) {}
	Owner(const Owner &) = delete;
	Owner &operator=(const Owner &) = delete;
	~Owner()
	{
		if (!owns_)
			return;
		Free(&handle_);
		alive_--;
	}
	Handle get() const { return handle_; }
	static int alive() { return alive_; }

private:
	Handle handle_;
	bool owns_ = true;
	static inline int alive_ = 0;
};

using Comm = Owner<MPI_Comm, MPI_Comm_free>;
using Type = Owner<MPI_Datatype, MPI_Type_free>;
using Operation = Owner<MPI_Op, MPI_Op_free>;

inline int rank(MPI_Comm comm)
{
	int r = -1;
	must(MPI_Comm_rank(comm, &r));
	return r;
}

inline int size(MPI_Comm comm)
{
	int n = -1;
	must(MPI_Comm_size(comm, &n));
	return n;
}

inline Comm split(MPI_Comm comm, int color, int key)
{
	MPI_Comm out;
	must(MPI_Comm_split(comm, color, key, &out));
	return Comm(out);
}

template <typename T> MPI_Datatype type_of();
template <> inline MPI_Datatype type_of<int>() { return MPI_INT; }
template <> inline MPI_Datatype type_of<double>() { return MPI_DOUBLE; }
template <> inline MPI_Datatype type_of<std::int64_t>() { return MPI_INT64_T; }
template <> inline MPI_Datatype type_of<std::uint64_t>() { return MPI_UINT64_T; }

template <typename T> T reduce_all(T value, MPI_Op op, MPI_Comm comm)
{
	T out{};
	must(MPI_Allreduce(&value, &out, 1, type_of<T>(), op, comm));
	return out;
}

// Sum over the ranks below this one; zero in rank 0.
template <typename T> T sum_below(T value, MPI_Comm comm)
{
	T out{};
	must(MPI_Exscan(&value, &out, 1, type_of<T>(), MPI_SUM, comm));
	return rank(comm) == 0 ? T{} : out;
}

template <typename T> T sum_up_to(T value, MPI_Comm comm)
{
	T out{};
	must(MPI_Scan(&value, &out, 1, type_of<T>(), MPI_SUM, comm));
	return out;
}

inline std::vector<int> exchange_counts(const std::vector<int> &send, MPI_Comm comm)
{
	std::vector<int> receive(send.size());
	must(MPI_Alltoall(send.data(), 1, MPI_INT, receive.data(), 1, MPI_INT, comm));
	return receive;
}

inline std::vector<int> offsets(const std::vector<int> &counts)
{
	std::vector<int> out(counts.size(), 0);
	for (std::size_t i = 1; i < counts.size(); i++)
		out[i] = out[i - 1] + counts[i - 1];
	return out;
}

} // namespace wrap
