/* Text about segments for descriptors: what the runtime says, written by the program's own C library. */
#include "ampi_rpc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int wants_colour(int fd, int color)
{
    const char *said = getenv("AMPI_RPC_COLOR");
    if (color != 2)
        return color != 0;
    if (said && (!strcmp(said, "yes") || !strcmp(said, "true")))
        return 1;
    if (said && (!strcmp(said, "no") || !strcmp(said, "false")))
        return 0;
    return isatty(fd);
}

static int write_all(int fd, const char *text, size_t n)
{
    while (n) {
        ssize_t k = write(fd, text, n);
        if (k < 0 && errno != EINTR)
            return MPI_ERR_IO;
        if (k > 0)
            text += k, n -= (size_t)k;
    }
    return MPI_SUCCESS;
}

static int tell(int what, const void *pointer, int fd, int color)
{
    size_t n = 0;
    int colour = wants_colour(fd, color), error = AMPI_Rpc_debug_text(what, pointer, colour, NULL, 0, &n);
    if (error)
        return error;
    size_t room = n + 1;
    char *text = malloc(room);
    if (!text)
        return MPI_ERR_NO_MEM;
    error = AMPI_Rpc_debug_text(what, pointer, colour, text, room, &n);
    if (!error)
        error = write_all(fd, text, n < room ? n : room - 1);
    free(text);
    return error;
}

int AMPI_Rpc_debug_write_ptr(const void *pointer, int fd, int color)
{
    return tell(AMPI_RPC_POINTER, pointer, fd, color);
}

int AMPI_Rpc_debug_write_segment_table(int fd, int color)
{
    return tell(AMPI_RPC_TABLE, NULL, fd, color);
}

int AMPI_Rpc_debug_write_cache(int fd)
{
    return tell(AMPI_RPC_CACHE, NULL, fd, 0);
}
