/*
 * Events that the kernel counts for a thread (perf_event_open), by name, with a signal to that
 * thread each time `period` of them have happened.
 */
#ifndef CH_SYS_PERF_EVENT_H
#define CH_SYS_PERF_EVENT_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* --- names ------------------------------------------------------------------------------------- */

struct ch_perf_event {
	const char *name, *alias; /* alias may be NULL */
	uint32_t type;
	uint64_t config;
	uint64_t period; /* when none is asked for */
	bool kernel;     /* happens within the kernel only */
	const char *help;
};

extern const struct ch_perf_event ch_perf_events[];
extern const size_t ch_n_perf_events;

/* One event, as asked for. */
struct ch_perf_spec {
	char name[128]; /* as written */
	uint32_t type;
	uint64_t config;
	uint64_t period;
	bool kernel;
	/* mem: */
	char symbol[96]; /* "" when the address was given as a number */
	uint64_t address;
	uint32_t access; /* HW_BREAKPOINT_*; 0 until resolved: execution of code, access to data */
	uint64_t length;
	/* SUBSYSTEM:NAME */
	char tracepoint[96]; /* "subsystem/name"; "" when its id is in config */
};

/*
 * Reads what a user wrote: a name or alias of the table, rNNN (a raw event of the CPU in hex),
 * mem:ADDRESS or mem:SYMBOL with [+OFFSET][/LENGTH][:rwx], SUBSYSTEM:NAME or trace:ID. Looks at
 * nothing but the text. -EINVAL with a sentence when it is none of these.
 */
int ch_perf_event_parse(const char *name, struct ch_perf_spec *ret, struct ch_error *err);
/*
 * Finds what the text stands for in this process and on this machine: the address of a symbol, the
 * id of a tracepoint. Needed before an event is opened; does nothing where there is nothing to
 * find. -ENOENT, -EACCES, … with a sentence.
 */
int ch_perf_event_resolve(struct ch_perf_spec *spec, struct ch_error *err);

/* --- counting ---------------------------------------------------------------------------------- */

struct ch_perf_open {
	pid_t tid;       /* 0: the calling thread */
	uint64_t period; /* 0: that of the spec */
	bool kernel;     /* count in the kernel too, and take its call chain */
	int signal;      /* 0: none */
};

/*
 * A descriptor, not counting until ch_perf_event_enable; or negative errno with a sentence that
 * says why this machine, kernel or user has no such event and what would help.
 */
int ch_perf_event_open_thread(const struct ch_perf_spec *spec, const struct ch_perf_open *how,
                              struct ch_error *err);
int ch_perf_event_enable(int fd);
/* Whether it can be opened here at all (spec is resolved on the way): 0 or the sentence why not. */
int ch_perf_event_probe(const struct ch_perf_spec *spec, bool kernel, struct ch_error *err);

/* --- call chains of the kernel ----------------------------------------------------------------- */

/* Two pages where the kernel writes them; all zero is none. */
struct ch_perf_ring {
	void *pages;
	size_t bytes;
};

/* For a descriptor that was opened with `kernel`. */
int ch_perf_event_map(int fd, struct ch_perf_ring *ret, struct ch_error *err);
/*
 * A handler on this thread may come in meanwhile and then sees no ring; who calls it for another
 * thread must have seen to it that no handler of that thread is looking.
 */
void ch_perf_event_unmap(struct ch_perf_ring *ring);
/*
 * Takes the newest chain out of the ring, innermost first, at most max addresses; older ones are
 * dropped. Returns how many; 0 when there is none. Signal safe; for the thread that is counted.
 */
size_t ch_perf_event_chain_sig(const struct ch_perf_ring *ring, uint64_t *to, size_t max);

#endif
