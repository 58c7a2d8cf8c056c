#include "unit.h"
#include "sys/procstat.h"

#include <fcntl.h>
#include <pthread.h>

static struct ch_procstat_now machine(const char *text)
{
	struct ch_procstat_now now;

	memset(&now, 0xff, sizeof(now));
	ch_procstat_machine((struct ch_span){ text, strlen(text) }, &now);
	return now;
}

static void idle_and_waiting_for_disks_is_not_busy(void **state)
{
	struct ch_procstat_now now = machine("cpu  10 20 30 400 50 6 7 8 9 10\n"
	                                     "cpu0 1 2 3 4 5 6 7 8 9 10\n"
	                                     "intr 5 1 2 3\nctxt 12345\nbtime 1\n");

	(void)state;
	assert_int_equal(now.machine_busy, 10 + 20 + 30 + 6 + 7 + 8); /* guests are in user */
	assert_int_equal(now.machine_all, 10 + 20 + 30 + 400 + 50 + 6 + 7 + 8);
	assert_int_equal(now.machine_switches, 12345);
}

static void what_is_not_there_stays_unknown(void **state)
{
	static const char *const texts[] = { "", "cpu", "cpu  1 2 3\n", "cpux 1 2 3 4\n" };

	(void)state;
	for (size_t i = 0; i < CH_LEN(texts); i++) {
		assert_int_equal(machine(texts[i]).machine_all, -1);
		assert_int_equal(machine(texts[i]).machine_switches, -1);
	}
	/* Cut off in the middle of the number. */
	assert_int_equal(machine("cpu  1 2 3 4 5 6 7 8\nctxt 123").machine_switches, -1);
}

static void values_are_found_by_the_start_of_their_line(void **state)
{
	struct ch_span text = CH_SPAN("rchar: 12\nwchar:  34\nread_bytes: 5\n"
	                              "write_bytes: 6\ncancelled_write_bytes: 7\nbad: x\n");

	(void)state;
	assert_int_equal(ch_procstat_value(text, "wchar:"), 34);
	assert_int_equal(ch_procstat_value(text, "write_bytes:"), 6);
	assert_int_equal(ch_procstat_value(text, "bytes:"), -1);
	assert_int_equal(ch_procstat_value(text, "bad:"), -1);
}

static void *wait_for(void *barrier)
{
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	return NULL;
}

static void this_process_is_counted(void **state)
{
	struct ch_procstat p;
	struct ch_procstat_now before, after;
	pthread_barrier_t barrier;
	pthread_t thread;
	char *room;
	int fd;

	(void)state;
	ch_procstat_open(&p);
	ch_procstat_read(&p, &before);
	pthread_barrier_init(&barrier, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, wait_for, &barrier), 0);
	pthread_barrier_wait(&barrier);
	fd = open("/dev/zero", O_RDONLY);
	room = malloc(8 << 20);
	assert_non_null(room);
	assert_int_equal(read(fd, room, 8 << 20), 8 << 20);
	ch_procstat_read(&p, &after);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	/* One more of ours; a sanitizer may start one of its own with the first. */
	assert_in_range(after.threads, before.threads + 1, before.threads + 2);
	assert_true(after.rss_bytes >= before.rss_bytes + (8 << 20) - (1 << 20));
	assert_true(after.read_bytes >= before.read_bytes + (8 << 20));
	assert_true(after.minor_faults > before.minor_faults);
	assert_true(after.user_ns >= before.user_ns && after.system_ns >= before.system_ns);
	assert_true(after.machine_all >= before.machine_all && before.machine_all > 0);
	assert_true(after.machine_busy <= after.machine_all);
	pthread_barrier_destroy(&barrier);
	free(room);
	close(fd);
	ch_procstat_close(&p);
	ch_procstat_read(&p, &after);
	assert_int_equal(after.rss_bytes, -1);
	assert_int_equal(after.threads, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_and_waiting_for_disks_is_not_busy),
		cmocka_unit_test(what_is_not_there_stays_unknown),
		cmocka_unit_test(values_are_found_by_the_start_of_their_line),
		cmocka_unit_test(this_process_is_counted),
	};

	return cmocka_run_group_tests_name("procstat", tests, NULL, NULL);
}
