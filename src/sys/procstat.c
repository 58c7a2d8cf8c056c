#include "sys/procstat.h"

#include <fcntl.h>
#include <sys/resource.h>

#include "sys/kernel.h"

/* /proc/stat has a number for each interrupt line, before the one that is wanted. */
#define TEXT_MAX (64u << 10)

void ch_procstat_open(struct ch_procstat *p)
{
	static const char *const paths[CH_PROC_FILES] = {
		[CH_PROC_STAT] = "/proc/stat",
		[CH_PROC_STATM] = "/proc/self/statm",
		[CH_PROC_IO] = "/proc/self/io",
		[CH_PROC_TASK] = "/proc/self/task",
	};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	for (unsigned i = 0; i < CH_PROC_FILES; i++)
		p->fd[i] = open(paths[i], O_RDONLY | O_CLOEXEC);
	p->cpus = cpus > 0 ? (unsigned)cpus : 1;
	p->page_bytes = sysconf(_SC_PAGESIZE);
}

void ch_procstat_close(struct ch_procstat *p)
{
	for (unsigned i = 0; i < CH_PROC_FILES; i++) {
		ch_closep(&p->fd[i]);
		p->fd[i] = -1;
	}
}

int64_t ch_procstat_value(struct ch_span text, const char *key)
{
	size_t n = strlen(key);
	const char *p = text.s, *end = text.s + text.n;

	while (p < end) {
		const char *line_end = memchr(p, '\n', (size_t)(end - p));

		/* A line without its end may be a number without its end. */
		if (!line_end)
			return -1;
		if ((size_t)(line_end - p) > n && !memcmp(p, key, n)) {
			struct ch_span rest = { p + n, (size_t)(line_end - p) - n };

			rest = ch_span_trim(rest);
			return ch_span_digits(rest) ? ch_span_number(rest) : -1;
		}
		p = line_end + 1;
	}
	return -1;
}

/* cpu user nice system idle iowait irq softirq steal guest guest_nice; guests are in user too. */
void ch_procstat_machine(struct ch_span text, struct ch_procstat_now *ret)
{
	int64_t busy = 0, all = 0, v;
	struct ch_span at = text;
	size_t field = 0;

	if (!ch_span_starts(at, "cpu "))
		return;
	at.s += 4;
	at.n -= 4;
	for (; field < 8; field++) {
		size_t n;

		while (at.n && *at.s == ' ')
			at.s++, at.n--;
		n = ch_span_digits(at);
		if (!n)
			break;
		v = ch_span_number(at);
		all = ch_sat_add(all, v);
		if (field != 3 && field != 4)
			busy = ch_sat_add(busy, v);
		at.s += n;
		at.n -= n;
	}
	if (field >= 4) {
		ret->machine_busy = busy;
		ret->machine_all = all;
	}
	v = ch_procstat_value(text, "ctxt ");
	if (v >= 0)
		ret->machine_switches = v;
}

static struct ch_span read_text(int fd, char *room)
{
	ssize_t n = fd >= 0 ? pread(fd, room, TEXT_MAX, 0) : -1;

	return (struct ch_span){ room, n > 0 ? (size_t)n : 0 };
}

/* total resident … in pages */
static int64_t resident_pages(struct ch_span text)
{
	size_t n = ch_span_digits(text);

	if (!n || n + 1 >= text.n)
		return -1;
	return ch_span_number((struct ch_span){ text.s + n + 1, text.n - n - 1 });
}

static int64_t ns_of(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

static void read_usage(struct ch_procstat_now *ret)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u) < 0)
		return;
	ret->user_ns = ns_of(u.ru_utime);
	ret->system_ns = ns_of(u.ru_stime);
	ret->minor_faults = u.ru_minflt;
	ret->major_faults = u.ru_majflt;
	ret->voluntary = u.ru_nvcsw;
	ret->involuntary = u.ru_nivcsw;
}

void ch_procstat_read(const struct ch_procstat *p, struct ch_procstat_now *ret)
{
	static char room[TEXT_MAX];
	struct ch_span text;
	struct stat st;
	int64_t pages;

	memset(ret, 0xff, sizeof(*ret)); /* -1 each */
	read_usage(ret);
	ch_procstat_machine(read_text(p->fd[CH_PROC_STAT], room), ret);
	pages = resident_pages(read_text(p->fd[CH_PROC_STATM], room));
	if (pages >= 0)
		ret->rss_bytes = ch_sat_mul(pages, p->page_bytes);
	text = read_text(p->fd[CH_PROC_IO], room);
	ret->read_bytes = ch_procstat_value(text, "rchar:");
	ret->written_bytes = ch_procstat_value(text, "wchar:");
	ret->disk_read_bytes = ch_procstat_value(text, "read_bytes:");
	ret->disk_written_bytes = ch_procstat_value(text, "write_bytes:");
	/* A folder has a link for each folder inside, and two of its own. */
	if (p->fd[CH_PROC_TASK] >= 0 && ch_fstat(p->fd[CH_PROC_TASK], &st) == 0 && st.st_nlink > 2)
		ret->threads = (int64_t)st.st_nlink - 2;
}
