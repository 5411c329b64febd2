/* MPI::SEEK_SET, SEEK_CUR and SEEK_END have the names of macros of <stdio.h>. The macros become constants of the same
 * values, which are macros still, for #ifdef, but stand for themselves. The names in namespace MPI are the same constants,
 * so that a using-directive does no harm; MPI::File::Seek takes them besides the values of C. */
#include <stdio.h>

static const int ampi_cxx_seek_set = SEEK_SET, ampi_cxx_seek_cur = SEEK_CUR, ampi_cxx_seek_end = SEEK_END;

#undef SEEK_SET
#undef SEEK_CUR
#undef SEEK_END

static const int SEEK_SET = ampi_cxx_seek_set, SEEK_CUR = ampi_cxx_seek_cur, SEEK_END = ampi_cxx_seek_end;

#define SEEK_SET SEEK_SET
#define SEEK_CUR SEEK_CUR
#define SEEK_END SEEK_END

namespace MPI {
using ::SEEK_CUR;
using ::SEEK_END;
using ::SEEK_SET;
}
