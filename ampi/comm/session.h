/* Sessions (MPI 5.0 section 11.3). Rank stack. */
#ifndef AMPI_SESSION_H
#define AMPI_SESSION_H

#include "ampi/errhandler.h"

struct ampi_session {
	uint32_t handle;
	int32_t thread_level;
	uint64_t errhandler; /* handle */
};

/* Handle -> object, NULL when it is not that of an open session. */
struct ampi_session *ampi_session(MPI_Session session);

/* What errors of this session are raised on. */
struct ampi_culprit ampi_session_culprit(const struct ampi_session *s);

/* Raise MPI_ERR_SESSION. */
int ampi_bad_session(MPI_Session session, int fn);

#endif
