/* Registers that a process has to ask the kernel for before it uses them: those of AMX (ARCH_REQ_XCOMP_PERM). What one rank has been
 * granted, all workers get by the time that a rank comes to them. */
#ifndef VRANK_XCOMP_H
#define VRANK_XCOMP_H

/* Rank stack: the call with that number as the program makes it. */
long vr_xcomp_ask(int code, unsigned long arg);

/* PE stack: this process gets what ranks of the job have. -1 where kernel or processor refuse it. */
int vr_xcomp_enter(void);

#endif
