/* C functions for MPI to call, each of which passes its number on as a further argument: entry i lies 16 * i
 * bytes behind the first one. They need no data, which every rank would have a copy of. */

    .text

/* n functions that go to target with their number in reg, the first argument register that is free. */
    .macro entries name, n, reg, target
    .balign 16
    .globl \name
    .hidden \name
    .type \name, @function
\name:
    .cfi_startproc
    .set number, 0
    .rept \n
    .balign 16
    endbr64
    movl $number, %\reg
    jmp \target
    .set number, number + 1
    .endr
    .cfi_endproc
    .size \name, . - \name
    .endm

    entries cxx_op_entries, 256, r8d, cxx_op_call
    entries cxx_comm_entries, 64, edx, cxx_comm_call
    entries cxx_win_entries, 64, edx, cxx_win_call
    entries cxx_file_entries, 64, edx, cxx_file_call

    .section .note.GNU-stack, "", @progbits
