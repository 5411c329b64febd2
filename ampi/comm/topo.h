/* Virtual topologies (MPI 5.0 chapter 8): who a communicator's members think of as their neighbours. What a topology says
 * never changes, so a communicator and its duplicates in one rank share one, which lies in the rank's slice.
 *
 * Everything here is called on a rank's stack. */
#ifndef AMPI_TOPO_H
#define AMPI_TOPO_H

#include "ampi/comm/comm_make.h"

struct ampi_cart {
	int32_t ndims;
	int32_t *dims, *periods, *coords; /* coords: of this rank */
};

struct ampi_graph {
	int32_t nnodes, nedges;
	int32_t *index, *edges; /* as MPI_Graph_create takes them */
};

struct ampi_dist_graph {
	int32_t weighted;
	int32_t *source_weights, *destination_weights; /* all 1 without weights */
};

struct ampi_topology {
	int32_t kind; /* MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH */
	int32_t refs; /* communicators of this rank that have it */
	/* This rank's neighbours, in the order of the blocks of neighbourhood collectives. */
	int32_t nsources, ndestinations;
	int32_t *sources, *destinations; /* one array where both are the same by definition; MPI_PROC_NULL is possible in a grid */
	union {
		struct ampi_cart cart;
		struct ampi_graph graph;
		struct ampi_dist_graph dist;
	};
	int32_t room[]; /* where all the arrays lie */
};

/* A topology with room for n numbers, all zero; NULL when the slice is full. */
struct ampi_topology *ampi_topology_new(int kind, int64_t n);

/* One communicator more, or fewer, that has it; NULL is none. */
struct ampi_topology *ampi_topology_hold(struct ampi_topology *t);
void ampi_topology_release(struct ampi_topology *t);

/* The communicator of a call that wants this kind of topology (0: any). 0, or the class that was raised. */
int ampi_topology_open(int fn, MPI_Comm comm, int kind, struct ampi_comm **out);

/* The communicator of a call that gives a new one a topology; *out is MPI_COMM_NULL from here on. */
int ampi_topology_parent(int fn, MPI_Comm comm, MPI_Comm *newcomm, struct ampi_comm **out);

/* A copy of comm for its members with this color, in the order that they have, with topology t, which it takes over in any
 * case; t is NULL in members with MPI_UNDEFINED, who get MPI_COMM_NULL. All members call. Switches. */
int ampi_topology_attach(int fn, struct ampi_comm *parent, int color, int key, struct ampi_topology *t, MPI_Comm *newcomm);

/* Raise that an array of a call is missing. */
int ampi_null_array(struct ampi_comm *c, int fn, const char *name);

#endif
