/*
 * How this process and the machine fare, as the kernel counts it: CPU time, memory, I/O, switches.
 * The files of /proc stay open between two looks, and a look allocates nothing. One thread at a
 * time; what cannot be had (a machine that hides it) is -1.
 */
#ifndef CH_SYS_PROCSTAT_H
#define CH_SYS_PROCSTAT_H

#include "base/span.h"

enum ch_procstat_file {
	CH_PROC_STAT,  /* /proc/stat */
	CH_PROC_STATM, /* /proc/self/statm */
	CH_PROC_IO,    /* /proc/self/io */
	CH_PROC_TASK,  /* /proc/self/task */
	CH_PROC_FILES,
};

struct ch_procstat {
	int fd[CH_PROC_FILES];
	unsigned cpus; /* of the machine, those that are on */
	long page_bytes;
};

/* Sums since the process or the machine started, but for those of this moment. */
struct ch_procstat_now {
	int64_t user_ns, system_ns;        /* CPU time of the process */
	int64_t machine_busy, machine_all; /* of all CPUs together, in ticks of the kernel */
	int64_t machine_switches;          /* of all threads of the machine */
	int64_t rss_bytes, threads;        /* of this moment */
	int64_t read_bytes, written_bytes; /* by system calls, from wherever */
	int64_t disk_read_bytes, disk_written_bytes; /* those that storage had to move */
	int64_t minor_faults, major_faults;
	int64_t voluntary, involuntary; /* switches of the process's own threads */
};

/* Opens what there is. Never fails: what is missing is missing in each look. */
void ch_procstat_open(struct ch_procstat *p);
void ch_procstat_close(struct ch_procstat *p);
void ch_procstat_read(const struct ch_procstat *p, struct ch_procstat_now *ret);

/* The text of /proc/stat; fields that it does not have stay as they were. */
void ch_procstat_machine(struct ch_span text, struct ch_procstat_now *ret);
/* The number behind `key` at the start of a line (`rchar: 12`), -1 when there is none. */
int64_t ch_procstat_value(struct ch_span text, const char *key);

#endif
