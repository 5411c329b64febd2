/* Requests that are more than one send or receive: what the MPI layer keeps behind their handles, and how each kind is
 * started, completed, cancelled and freed (MPI 5.0 sections 2.9 and 3.7). */
#ifndef AMPI_REQUEST_H
#define AMPI_REQUEST_H

#include "ampi/ampi.h"

/* What a kind of request does. All but `completed` of vr_hook run on the stack of the request's rank; NULL: nothing special. */
struct ampi_request_class {
	/* MPI_Start of an inactive request, with ACTIVE set and DONE clear: begin; the class that was raised, or 0. NULL: the request
	 * is not persistent. */
	int (*start)(int fn, struct vr_request *r);
	/* The operation is complete: fill the status, return the error class or code. May be called several times. */
	int (*status)(struct vr_request *r, MPI_Status *s);
	/* A wait or test has completed the request: what is to be done once; an error class or code. */
	int (*finish)(struct vr_request *r);
	/* MPI_Request_free of a request that is active, or that is not persistent: raise an error. NULL: it may be freed. */
	int (*refuse_free)(int fn, struct vr_request *r);
	/* MPI_Request_free: the handle is gone; discard the request when it can be. NULL: as soon as it is not active. */
	void (*abandon)(struct vr_request *r);
	/* MPI_Cancel of an active request. NULL: this kind cannot be cancelled. */
	int (*cancel)(int fn, struct vr_request *r);
	/* The handle is gone and nothing is pending: give back what `extra` holds. Any stack of the owner. */
	void (*release)(struct vr_request *r);
};

/* The beginning of what vr_request.extra points to, where it is not NULL. */
struct ampi_activity {
	struct vr_hook hook; /* for requests that are freed while active */
	const struct ampi_request_class *class;
};

static inline struct ampi_activity *ampi_activity(const struct vr_request *r)
{
	return r->extra;
}

/* A request of this class; NULL when the slice is full. `size` bytes of memory, an ampi_activity first, are its extra: all zeroed, or
 * the first part. */
struct vr_request *ampi_request_make_part(const struct ampi_request_class *class, size_t size, size_t zeroed);

static inline struct vr_request *ampi_request_make(const struct ampi_request_class *class, size_t size)
{
	return ampi_request_make_part(class, size, size);
}

/* The handle is gone and nothing is pending: give all back. Any stack of the owner. */
void ampi_request_discard(struct vr_request *r);

/* Nothing to wait for when null or inactive. */
static inline int ampi_request_is_active(const struct vr_request *r)
{
	return r && !((r->flags & VR_RQ_PERSISTENT) && !(r->flags & VR_RQ_ACTIVE));
}

/* The status of a request that is complete; the error class or code. `s` is not MPI_STATUS_IGNORE; its MPI_ERROR is left. */
int ampi_request_status(struct vr_request *r, MPI_Status *s);

void ampi_status_empty(MPI_Status *s);

/* Raise the error of a completed request at the handler of its communicator (a handle, or 0). */
int ampi_request_failed(uint64_t comm, int error, int fn);

int ampi_bad_request(int fn, MPI_Request h);

/* The handles of one call, with their requests: NULL for null and inactive ones. */
struct ampi_requests {
	struct vr_request **r;
	int n, active;
	struct vr_request *few[64];
};

/* Look all up; the class that was raised, or 0. Close it in any case. */
int ampi_requests_open(struct ampi_requests *s, int fn, int n, const MPI_Request *h);
void ampi_requests_close(struct ampi_requests *s);
int ampi_requests_done(const struct ampi_requests *s);
int ampi_requests_first(const struct ampi_requests *s); /* index of one that is done, or MPI_UNDEFINED */

static inline int ampi_request_is_done(const struct vr_request *r)
{
	return r && (r->flags & VR_RQ_DONE);
}

#endif
