/*
 * Runs a command on a kernel that refuses system calls: refuse RULE... -- COMMAND ARGUMENT... A rule is FIRST:LAST:ERROR, numbers of calls
 * and an errno (0: they do nothing and succeed). Conditions follow, each :ARG:MASK:LEAST:MOST: the lower 32 bits of the argument with that
 * number, from 0, masked, are in that range; ARG 6 is the upper half of argument 0, and so on. The first rule that fits counts. A filter of
 * seccomp answers, so it holds for all descendants, as in a container.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static struct sock_filter code[4096];
static unsigned short length;

static void put(unsigned short op, unsigned char if_true, unsigned char if_false, unsigned value)
{
	code[length++] = (struct sock_filter){op, if_true, if_false, value};
}

/* Goes to the next rule, `ahead` instructions later, unless what is loaded is in [least, most]. */
static void put_range(unsigned least, unsigned most, unsigned ahead)
{
	put(BPF_JMP | BPF_JGE | BPF_K, 0, (unsigned char)(ahead + 1), least);
	put(BPF_JMP | BPF_JGT | BPF_K, (unsigned char)ahead, 0, most);
}

#define CONDITION 4 /* numbers, and instructions */
#define CONDITIONS_MAX 4

static int add(const char *rule)
{
	unsigned n, field[3 + CONDITIONS_MAX * CONDITION];
	char *end = (char *)rule;
	for (n = 0; n < sizeof field / sizeof *field && *rule; rule = end + (*end == ':'), n++) {
		field[n] = (unsigned)strtoul(rule, &end, 0);
		if (end == rule || (*end && *end != ':'))
			return -1;
	}
	if (*rule || n < 3 || n % CONDITION != 3 || (length + n + 4) * sizeof *code > sizeof code)
		return -1;
	unsigned ahead = n - 3 + 1;
	put(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
	put_range(field[0], field[1], ahead);
	for (unsigned *c = field + 3; c < field + n; c += CONDITION) {
		ahead -= CONDITION;
		put(BPF_LD | BPF_W | BPF_ABS, 0, 0, (unsigned)(offsetof(struct seccomp_data, args) + 8 * (c[0] % 6) + 4 * (c[0] / 6)));
		put(BPF_ALU | BPF_AND | BPF_K, 0, 0, c[1]);
		put_range(c[2], c[3], ahead);
	}
	put(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | field[2]);
	return 0;
}

int main(int argc, char **argv)
{
	int i;
	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (add(argv[i])) {
			fprintf(stderr, "refuse: %s is no rule\n", argv[i]);
			return 125;
		}
	put(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
	struct sock_fprog filter = {length, code};
	if (i + 1 >= argc || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
		perror("refuse");
		return 125;
	}
	execvp(argv[i + 1], argv + i + 1);
	perror(argv[i + 1]);
	return 125;
}
