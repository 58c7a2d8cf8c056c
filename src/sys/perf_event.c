#include "sys/perf_event.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

/* --- opening ----------------------------------------------------------------------------------- */

static struct perf_event_attr attributes(const struct ch_perf_spec *spec, uint64_t period,
                                         bool kernel)
{
	struct perf_event_attr a = {
		.size = sizeof(a),
		.type = spec->type,
		.config = spec->config,
		.sample_period = period ? period : spec->period,
		.disabled = 1,
		.exclude_kernel = !kernel && !spec->kernel,
		.exclude_hv = 1,
		.exclude_callchain_user = 1,
		.wakeup_events = 1,
	};

	if (kernel)
		a.sample_type = PERF_SAMPLE_CALLCHAIN;
	if (spec->type == PERF_TYPE_BREAKPOINT) {
		a.bp_type = spec->access;
		a.bp_addr = spec->address;
		a.bp_len = spec->length;
	}
	return a;
}

static int open_event(const struct ch_perf_spec *spec, const struct ch_perf_open *how)
{
	struct perf_event_attr a = attributes(spec, how->period, how->kernel);
	long fd = syscall(SYS_perf_event_open, &a, how->tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/* --- why not ----------------------------------------------------------------------------------- */

/* The setting of the kernel; INT32_MIN when it cannot be read. */
static int paranoid(void)
{
	CH_CLEANUP(ch_closep) int fd = open(PARANOID, O_RDONLY | O_CLOEXEC);
	char text[16] = "";

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return INT32_MIN;
	return (int)strtol(text, NULL, 10);
}

static int explain_forbidden(const struct ch_perf_spec *spec, bool kernel, int code,
                             struct ch_error *err)
{
	bool tracepoint = spec->type == PERF_TYPE_TRACEPOINT;
	int most = tracepoint ? -1 : kernel || spec->kernel ? 1 : 2;
	int level = paranoid();

	if (level == INT32_MIN)
		return ch_fail(err, code, "'%s' is not permitted, and %s cannot be read: %m",
		               spec->name, PARANOID);
	if (level > most)
		return ch_fail(
		    err, code,
		    "'%s' is not permitted: kernel.perf_event_paranoid is %d and must "
		    "be %d or less (sysctl kernel.perf_event_paranoid=%d), or the process "
		    "needs CAP_PERFMON",
		    spec->name, level, most, most);
	return ch_fail(err, code,
	               "'%s' is not permitted although kernel.perf_event_paranoid is %d: a seccomp "
	               "filter of the container or a security module forbids perf_event_open",
	               spec->name, level);
}

static int explain(const struct ch_perf_spec *spec, bool kernel, int code, struct ch_error *err)
{
	switch (-code) {
	case EACCES:
	case EPERM:
		return explain_forbidden(spec, kernel, code, err);
	case ENOENT:
	case ENODEV:
		return ch_fail(err, code,
		               "'%s': this machine has no such hardware counter (virtual machine?)",
		               spec->name);
	case ENOSYS:
		return ch_fail(
		    err, code,
		    "'%s': there is no perf_event_open here: the kernel was built without "
		    "it, or a seccomp filter of the container hides it",
		    spec->name);
	case EOPNOTSUPP:
	case EINVAL:
		return ch_fail(err, code, "'%s': this machine cannot sample by this event",
		               spec->name);
	case ENOSPC:
		return ch_fail(err, code, "'%s': all counters of this kind are in use", spec->name);
	default:
		return ch_fail(err, code, "'%s': perf_event_open: %m", spec->name);
	}
}

/* --- threads ----------------------------------------------------------------------------------- */

/* The signal goes to the thread that is counted, with the descriptor in si_fd. */
static int deliver(int fd, int signal, pid_t tid)
{
	struct f_owner_ex owner = { F_OWNER_TID, tid ? tid : (pid_t)syscall(SYS_gettid) };

	if (fcntl(fd, F_SETSIG, signal) < 0 || fcntl(fd, F_SETOWN_EX, &owner) < 0 ||
	    fcntl(fd, F_SETFL, O_ASYNC) < 0)
		return -errno;
	return 0;
}

int ch_perf_event_open_thread(const struct ch_perf_spec *spec, const struct ch_perf_open *how,
                              struct ch_error *err)
{
	int fd = open_event(spec, how), r;

	if (fd < 0)
		return explain(spec, how->kernel, fd, err);
	r = how->signal ? deliver(fd, how->signal, how->tid) : 0;
	if (r < 0) {
		close(fd);
		return ch_fail(err, r, "'%s': signals for thread %d: %m", spec->name, how->tid);
	}
	return fd;
}

int ch_perf_event_enable(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0 ? -errno : 0;
}

int ch_perf_event_probe(const struct ch_perf_spec *spec, bool kernel, struct ch_error *err)
{
	const struct ch_perf_open how = { .kernel = kernel };
	struct ch_perf_spec found = *spec;
	int r = ch_perf_event_resolve(&found, err);

	if (r < 0)
		return r;
	r = ch_perf_event_open_thread(&found, &how, err);
	if (r < 0)
		return r;
	close(r);
	return 0;
}

/* --- rings ------------------------------------------------------------------------------------- */

int ch_perf_event_map(int fd, struct ch_perf_ring *ret, struct ch_error *err)
{
	size_t bytes = 2 * (size_t)sysconf(_SC_PAGESIZE);
	void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (pages == MAP_FAILED && errno == EPERM)
		return ch_fail(err, -EPERM,
		               "no more memory for call chains of the kernel: see "
		               "kernel.perf_event_mlock_kb and ulimit -l");
	if (pages == MAP_FAILED)
		return ch_fail(err, -errno, "map a perf event: %m");
	*ret = (struct ch_perf_ring){ pages, bytes };
	return 0;
}

void ch_perf_event_unmap(struct ch_perf_ring *ring)
{
	struct ch_perf_ring old = *ring;

	/* First: a signal that was on its way may come in between. */
	*ring = (struct ch_perf_ring){ 0 };
	atomic_signal_fence(memory_order_seq_cst);
	if (old.pages)
		munmap(old.pages, old.bytes);
}
