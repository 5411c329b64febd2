/* Files that ranks open to write are noted, with their size before, in files beside the checkpoints: a job that goes on from a checkpoint
 * opens them once more, and has to find them as they were.
 *
 * Notes are of an epoch: what comes between two freezes. The files of epoch n and PE p are called JOB.n.p; each note is text, ended by
 * a zero byte: a number, the file's device, inode, birth (seconds, nanoseconds), its size before, or -1 of a new one, and its path. A file
 * that is not there has two notes of one number, since the process may be killed when it has been made: the first one has the device 0:0
 * and the time of day.
 *
 * Directories are noted, too: one that is made with "dir" in place of the size, twice, and one that is about to be removed with "gone:" and its
 * mode.
 *
 * A job that is not saved on the disk has all notes in one file of memory, each after "n.p:". */
#ifndef VRANK_OPENED_H
#define VRANK_OPENED_H

#include <stdint.h>
#include <string.h>

/* PE stack, before ranks run: notes are wanted, from an epoch on; in files of a job in the directory `folder` unless that is negative, or in
 * the file `memory` unless that is. */
void vr_journal_setup(int folder, const char *job, int memory, int32_t epoch, int32_t pe);

/* PE stack, in a freeze: the next epoch, which is returned. */
int32_t vr_journal_next(void);

/* Rank stack, or a thread of a rank, before a file is opened: what vr_journal_note needs to know. */
struct vr_before {
	int64_t size; /* -1: there is no such file */
	uint32_t number; /* of its notes; 0: none */
};
struct vr_before vr_journal_look(int dir, const char *path, int writes);
struct vr_before vr_journal_new(void); /* the file will be new in any case */

/* Does fopen with this mode open to write? */
static inline int vr_mode_writes(const char *mode)
{
	return *mode == 'w' || *mode == 'a' || strchr(mode, '+');
}

/* After that: errno stays. The descriptor, which may be negative, is returned. */
int vr_journal_note(int fd, struct vr_before before);

/* The same of directories: before one is made, its note or 0; when it has been made (errno stays); before something is removed, which may be one. */
uint32_t vr_journal_will_make(int dir, const char *path);
void vr_journal_made(int dir, const char *path, uint32_t number);
void vr_journal_will_remove(int dir, const char *path);

#endif
