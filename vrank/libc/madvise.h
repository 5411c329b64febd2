/* Advice about memory, madvise.c. */
#ifndef VRANK_MADVISE_H
#define VRANK_MADVISE_H

/* Set where pages are taken out of ranks' memory to be copied: advice to make huge pages is not heeded. */
extern int vr_keeps_small_pages;

#endif
