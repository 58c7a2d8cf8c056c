/*
 * What a signal costs a busy thread when its handler does nothing: the part of a profiler's overhead
 * that belongs to the kernel and the machine. Prints, for rounds of the same work with and without
 * the clock in turns, the CPU time that each signal has added, in nanoseconds, a line per round.
 *
 * Usage: floor NANOSECONDS ROUNDS
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STEPS 60000000 /* about a tenth of a second */

static volatile sig_atomic_t signals;
static volatile uint64_t sink;

static void count(int sig)
{
	(void)sig;
	signals++;
}

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* CPU nanoseconds of the work. */
static uint64_t work(void)
{
	uint64_t begun = cpu_ns(), x = 88172645463325252u + sink % 3;

	for (unsigned i = 0; i < STEPS; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	sink = x;
	return cpu_ns() - begun;
}

/* As profilers open it: a descriptor that signals the thread which it counts. */
static int perf_clock(uint64_t ns)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE,
		                     .size = sizeof(a),
		                     .config = PERF_COUNT_SW_CPU_CLOCK,
		                     .sample_period = ns,
		                     .wakeup_events = 1,
		                     .disabled = 1 };
	struct f_owner_ex owner = { F_OWNER_TID, (pid_t)syscall(SYS_gettid) };
	int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		die("perf_event_open");
	if (fcntl(fd, F_SETFL, O_ASYNC) < 0 || fcntl(fd, F_SETSIG, SIGPROF) < 0 ||
	    fcntl(fd, F_SETOWN_EX, &owner) < 0 || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
		die("perf event");
	return fd;
}

static uint64_t work_on(uint64_t ns)
{
	int fd = perf_clock(ns);
	uint64_t took = work();

	close(fd);
	return took;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = count, .sa_flags = SA_RESTART };

	if (argc != 3)
		return 2;
	sigaction(SIGPROF, &sa, NULL);
	work();
	for (int i = 0; i < atoi(argv[2]); i++) {
		uint64_t ns = strtoull(argv[1], NULL, 10), off, on;

		off = i % 2 ? work() : 0;
		signals = 0;
		on = work_on(ns);
		off = i % 2 ? off : work();
		if (signals)
			printf("%.0f\n", ((double)on - (double)off) / (double)signals);
	}
	return 0;
}
