#include "unit.h"
#include "agent/defs.h"

#include <stdio.h>

static void add_thread(struct ch_defs *d, uint32_t id)
{
	union {
		struct ch_rec_thread rec;
		char room[sizeof(struct ch_rec_thread) + 32];
	} t = { .rec = { .id = id, .tid = (int32_t)id } };

	t.rec.len = (uint32_t)snprintf(t.rec.name, 32, "thread %u", id);
	assert_int_equal(ch_defs_add_thread(d, &t.rec), 0);
}

static void assert_thread(struct ch_defs *d, uint32_t id)
{
	struct ch_def_thread *t = ch_defs_thread(d, id);
	char name[32];

	(void)snprintf(name, sizeof(name), "thread %u", id);
	assert_non_null(t);
	assert_int_equal(t->tid, id);
	assert_int_equal(t->len, strlen(name));
	assert_memory_equal(t->name, name, t->len);
}

/* A ring that was used late is read before one whose ids are hundreds older. */
static void ids_come_in_any_order(void **state)
{
	static const uint32_t from[] = { 5000, 2, 900, 70000, 1500 };
	struct ch_defs d;

	(void)state;
	ch_defs_init(&d);
	for (size_t i = 0; i < CH_LEN(from); i++)
		for (uint32_t id = from[i]; id < from[i] + 300; id++)
			add_thread(&d, id);
	for (size_t i = 0; i < CH_LEN(from); i++)
		for (uint32_t id = from[i]; id < from[i] + 300; id++)
			assert_thread(&d, id);
	assert_null(ch_defs_thread(&d, 1));
	assert_null(ch_defs_thread(&d, 600));
	assert_null(ch_defs_thread(&d, 71000));
	ch_defs_done(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_come_in_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
