/* Bindings whose strings have rules of their own: lengths without the final NUL, arrays of strings. */
#include "fortran.h"

#include <stdlib.h>
#include <string.h>

void pmpi_info_get_(MPI_Fint *info, const char *key, MPI_Fint *valuelen, char *value, MPI_Fint *flag, MPI_Fint *ierror,
                    size_t key_len, size_t value_len)
{
    F_OPTIONAL(ierror);
    size_t room = *valuelen > 0 ? (size_t)*valuelen : 0;
    char key_c[key_len + 1], value_c[room + 1];

    f_key_in(key_c, key, key_len);
    *flag = 0;
    *ierror = MPI_Info_get(F_HANDLE(MPI_Info, *info), key_c, *valuelen, value_c, flag);
    *flag = *flag != 0;
    if (*ierror == MPI_SUCCESS && *flag)
        f_text_out(value, value_len, value_c);
}
F_WEAK(mpi_info_get_);
F_F08(mpi_info_get);

/* C counts the final NUL in buflen, Fortran has none; 0 asks for the length only, in both. */
void pmpi_info_get_string_(MPI_Fint *info, const char *key, MPI_Fint *buflen, char *value, MPI_Fint *flag, MPI_Fint *ierror,
                           size_t key_len, size_t value_len)
{
    F_OPTIONAL(ierror);
    int room = *buflen > 0 ? *buflen + 1 : 0, wanted = room;
    char key_c[key_len + 1], value_c[room + 1];

    f_key_in(key_c, key, key_len);
    *flag = 0;
    *ierror = MPI_Info_get_string(F_HANDLE(MPI_Info, *info), key_c, &wanted, value_c, flag);
    *flag = *flag != 0;
    if (*ierror != MPI_SUCCESS || !*flag)
        return;
    *buflen = wanted - 1;
    if (room > 0)
        f_text_out(value, value_len, value_c);
}
F_WEAK(mpi_info_get_string_);
F_F08(mpi_info_get_string);

void pmpi_session_get_nth_pset_(MPI_Fint *session, MPI_Fint *info, MPI_Fint *n, MPI_Fint *pset_len, char *pset_name,
                                MPI_Fint *ierror, size_t pset_name_len)
{
    F_OPTIONAL(ierror);
    int room = *pset_len > 0 ? *pset_len + 1 : 0, wanted = room;
    char name[room + 1];

    *ierror = MPI_Session_get_nth_pset(F_HANDLE(MPI_Session, *session), F_HANDLE(MPI_Info, *info), *n, &wanted, name);
    if (*ierror != MPI_SUCCESS)
        return;
    *pset_len = wanted - 1;
    if (room > 0)
        f_text_out(pset_name, pset_name_len, name);
}
F_WEAK(mpi_session_get_nth_pset_);
F_F08(mpi_session_get_nth_pset);

static int blank(const char *text, size_t n)
{
    while (n > 0 && text[n - 1] == ' ')
        n--;
    return n == 0;
}

static void strings_free(char **list)
{
    if (list == NULL)
        return;
    for (char **s = list; *s != NULL; s++)
        free(*s);
    free(list);
}

/* Copies count strings of len characters that lie stride characters apart; NULL when there is no memory. */
static char **strings_in(const char *from, size_t len, size_t stride, size_t count)
{
    char **list = calloc(count + 1, sizeof *list);

    for (size_t i = 0; list != NULL && i < count; i++) {
        list[i] = malloc(len + 1);
        if (list[i] == NULL) {
            strings_free(list);
            return NULL;
        }
        f_text_in(list[i], from + i * stride, len);
    }
    return list;
}

/* An argument list ends with a blank string. */
static char **argv_in(const char *from, size_t len, size_t stride)
{
    size_t count = 0;

    while (!blank(from + count * stride, len))
        count++;
    return strings_in(from, len, stride, count);
}

void pmpi_comm_spawn_(const char *command, const char *argv, MPI_Fint *maxprocs, MPI_Fint *info, MPI_Fint *root, MPI_Fint *comm,
                      MPI_Fint *intercomm, MPI_Fint *errcodes, MPI_Fint *ierror, size_t command_len, size_t argv_len)
{
    F_OPTIONAL(ierror);
    char command_c[command_len + 1];
    char **argv_c = MPI_ARGV_NULL;
    MPI_Comm spawned = MPI_COMM_NULL;

    f_text_in(command_c, command, command_len);
    if (argv != ampi_f_argv_null_ && (argv_c = argv_in(argv, argv_len, argv_len)) == NULL) {
        *ierror = MPI_ERR_NO_MEM;
        return;
    }
    *ierror = MPI_Comm_spawn(command_c, argv_c, *maxprocs, F_HANDLE(MPI_Info, *info), *root, F_HANDLE(MPI_Comm, *comm), &spawned,
                             f_errcodes(errcodes));
    *intercomm = F_INT(spawned);
    strings_free(argv_c);
}
F_WEAK(mpi_comm_spawn_);
F_F08(mpi_comm_spawn);

static void argvs_free(char ***argvs, size_t count)
{
    if (argvs == NULL)
        return;
    for (size_t i = 0; i < count; i++)
        strings_free(argvs[i]);
    free(argvs);
}

/* ARRAY_OF_ARGV(count, *): row i holds the arguments of command i, so they lie count strings apart. */
static char ***argvs_in(const char *from, size_t len, size_t count)
{
    char ***argvs = calloc(count + 1, sizeof *argvs);

    for (size_t i = 0; argvs != NULL && i < count; i++) {
        argvs[i] = argv_in(from + i * len, len, count * len);
        if (argvs[i] == NULL) {
            argvs_free(argvs, count);
            return NULL;
        }
    }
    return argvs;
}

void pmpi_comm_spawn_multiple_(MPI_Fint *count, const char *commands, const char *argvs, MPI_Fint *maxprocs, MPI_Fint *infos,
                               MPI_Fint *root, MPI_Fint *comm, MPI_Fint *intercomm, MPI_Fint *errcodes, MPI_Fint *ierror,
                               size_t commands_len, size_t argvs_len)
{
    F_OPTIONAL(ierror);
    size_t n = *count > 0 ? (size_t)*count : 0;
    int given = argvs != ampi_f_argvs_null_;
    struct f_handles infos_h;
    void *infos_c = f_handles_load(&infos_h, infos, *count);
    char **commands_c = strings_in(commands, commands_len, commands_len, n);
    char ***argvs_c = given ? argvs_in(argvs, argvs_len, n) : MPI_ARGVS_NULL;
    MPI_Comm spawned = MPI_COMM_NULL;

    *ierror = MPI_ERR_NO_MEM;
    if (infos_c != NULL && commands_c != NULL && (argvs_c != NULL || !given)) {
        *ierror = MPI_Comm_spawn_multiple(*count, commands_c, argvs_c, maxprocs, infos_c, *root, F_HANDLE(MPI_Comm, *comm),
                                          &spawned, f_errcodes(errcodes));
        *intercomm = F_INT(spawned);
    }
    argvs_free(argvs_c, n);
    strings_free(commands_c);
    f_handles_free(&infos_h);
}
F_WEAK(mpi_comm_spawn_multiple_);
F_F08(mpi_comm_spawn_multiple);
