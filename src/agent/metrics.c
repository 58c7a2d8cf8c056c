#include "agent/metrics.h"

#include "agent/sampler.h"
#include "sys/procstat.h"

static struct {
	struct ch_procstat files;
	bool open;
	struct ch_procstat_now before;
	uint64_t before_ns;
	_Atomic uint64_t cost_ns, writes;
} metrics;

/* Rates over less than this say little: the kernel counts the machine in ticks. */
#define SHORTEST_S 0.1

/* A second as seen from its end. */
struct second {
	const struct ch_procstat_now *now, *before;
	double elapsed_s;
};

static void put(struct ch_chunk *c, int64_t v)
{
	ch_jfr_put_int(&c->events, (uint64_t)v);
}

static double part(double of, double whole)
{
	double share = whole > 0 ? of / whole : 0;

	return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* Shares of all CPUs of the machine, as the JDK's own event has them. */
static bool put_cpu_load(struct ch_chunk *c, const struct second *s)
{
	double cpu_ns = s->elapsed_s * 1e9 * metrics.files.cpus;

	if (s->now->user_ns < 0 || s->now->machine_all < 0 || s->elapsed_s < SHORTEST_S)
		return false;
	ch_chunk_float(c, (float)part((double)(s->now->user_ns - s->before->user_ns), cpu_ns));
	ch_chunk_float(c, (float)part((double)(s->now->system_ns - s->before->system_ns), cpu_ns));
	ch_chunk_float(c, (float)part((double)(s->now->machine_busy - s->before->machine_busy),
	                              (double)(s->now->machine_all - s->before->machine_all)));
	return true;
}

static bool put_switch_rate(struct ch_chunk *c, const struct second *s)
{
	int64_t n = s->now->machine_switches - s->before->machine_switches;

	if (s->now->machine_switches < 0 || s->elapsed_s < SHORTEST_S)
		return false;
	ch_chunk_float(c, (float)((double)n / s->elapsed_s));
	return true;
}

static bool put_process(struct ch_chunk *c, const struct second *s)
{
	const struct ch_procstat_now *n = s->now;

	put(c, n->rss_bytes);
	put(c, n->read_bytes);
	put(c, n->written_bytes);
	put(c, n->disk_read_bytes);
	put(c, n->disk_written_bytes);
	put(c, n->minor_faults);
	put(c, n->major_faults);
	put(c, n->voluntary);
	put(c, n->involuntary);
	put(c, n->threads);
	return true;
}

/* What the kernel knows; what the VM knows follows behind. */
static const struct {
	enum ch_type type;
	bool (*put)(struct ch_chunk *c, const struct second *s); /* false: it cannot be told */
} rows[] = {
	{ CH_T_CPU_LOAD, put_cpu_load },
	{ CH_T_SWITCH_RATE, put_switch_rate },
	{ CH_T_PROCESS_STATS, put_process },
};

static void write_rows(struct ch_chunk *c, const struct second *s, int64_t ticks)
{
	for (size_t i = 0; i < CH_LEN(rows); i++) {
		size_t begun = ch_chunk_event(c, rows[i].type, ticks);

		if (rows[i].put(c, s))
			ch_jfr_event_end(&c->events, begun);
		else
			c->events.len = begun;
	}
}

void ch_metrics_start(void)
{
	ch_procstat_open(&metrics.files);
	metrics.open = true;
	ch_procstat_read(&metrics.files, &metrics.before);
	metrics.before_ns = ch_now_ns();
	atomic_store(&metrics.cost_ns, 0);
	atomic_store(&metrics.writes, 0);
	ch_metrics_vm_start();
}

void ch_metrics_write(struct ch_chunk *c)
{
	uint64_t begun = ch_cpu_ns(), now_ns = ch_now_ns();
	struct ch_procstat_now now;
	struct second s = { &now, &metrics.before, (double)(now_ns - metrics.before_ns) / 1e9 };

	ch_procstat_read(&metrics.files, &now);
	write_rows(c, &s, ch_ticks(now_ns));
	ch_metrics_vm_write(c, ch_ticks(now_ns));
	metrics.before = now;
	metrics.before_ns = now_ns;
	atomic_fetch_add(&metrics.cost_ns, ch_cpu_ns() - begun);
	atomic_fetch_add(&metrics.writes, 1);
}

void ch_metrics_stop(void)
{
	if (!metrics.open)
		return;
	metrics.open = false;
	ch_procstat_close(&metrics.files);
	ch_metrics_vm_stop();
}

uint64_t ch_metrics_cost_ns(void)
{
	uint64_t n = atomic_load(&metrics.writes);

	return n ? atomic_load(&metrics.cost_ns) / n : 0;
}
