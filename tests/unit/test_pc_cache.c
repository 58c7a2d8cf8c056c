#include "unit.h"
#include "hotspot/pc_cache.h"

#include <sys/mman.h>

#define EPOCH 7
#define PC    UINT64_C(0x7f0012345678)

/* As much of an nmethod as is looked at. */
static uint32_t code[2];
static const struct ch_vm vm = { .nm_compile_id = 4 };

static struct ch_pc_cache *cache;

static int take_cache(void **state)
{
	(void)state;
	code[1] = 42;
	cache = ch_pc_cache_new();
	return cache ? 0 : -1;
}

static int drop_cache(void **state)
{
	(void)state;
	return munmap(cache, sizeof(*cache));
}

static struct ch_pc_entry entry(uint64_t pc, uint8_t n)
{
	struct ch_pc_entry e = {
		.pc = pc, .blob = (uintptr_t)code, .epoch = EPOCH, .frame_words = 6, .n = n
	};

	for (uint8_t i = 0; i < n; i++)
		e.frames[i] = 1000 + i;
	return e;
}

static void what_was_put_is_found_whole(void **state)
{
	struct ch_pc_entry e = entry(PC, CH_PC_CACHE_FRAMES), got;

	(void)state;
	assert_false(ch_pc_cache_get(cache, &vm, PC, EPOCH, &got));
	e.in_prologue = true;
	ch_pc_cache_put(cache, &vm, &e);
	assert_true(ch_pc_cache_get(cache, &vm, PC, EPOCH, &got));
	assert_int_equal(got.n, CH_PC_CACHE_FRAMES);
	assert_int_equal(got.frame_words, 6);
	assert_true(got.in_prologue);
	for (unsigned i = 0; i < CH_PC_CACHE_FRAMES; i++)
		assert_int_equal(got.frames[i], 1000 + i);
}

static void an_interrupted_instruction_is_no_return_address(void **state)
{
	struct ch_pc_entry returned = entry(PC, 1), interrupted = entry(ch_pc_interrupted(PC), 3),
	                   got;

	(void)state;
	ch_pc_cache_put(cache, &vm, &returned);
	assert_false(ch_pc_cache_get(cache, &vm, ch_pc_interrupted(PC), EPOCH, &got));
	ch_pc_cache_put(cache, &vm, &interrupted);
	assert_true(ch_pc_cache_get(cache, &vm, ch_pc_interrupted(PC), EPOCH, &got));
	assert_int_equal(got.n, 3);
}

static void other_code_at_the_same_place_is_not_believed(void **state)
{
	struct ch_pc_entry e = entry(PC, 2), got;

	(void)state;
	ch_pc_cache_put(cache, &vm, &e);
	code[1] = 43;
	assert_false(ch_pc_cache_get(cache, &vm, PC, EPOCH, &got));
	code[1] = 42;
	assert_true(ch_pc_cache_get(cache, &vm, PC, EPOCH, &got));
}

static void names_count_for_one_epoch(void **state)
{
	struct ch_pc_entry e = entry(PC, 2), got;

	(void)state;
	ch_pc_cache_put(cache, &vm, &e);
	assert_false(ch_pc_cache_get(cache, &vm, PC, EPOCH + 1, &got));
}

static void bytecode_and_compiled_code_are_told_apart(void **state)
{
	struct ch_pc_entry e = entry(PC, 2), got;
	uint64_t frame = 0;

	(void)state;
	ch_pc_cache_put(cache, &vm, &e);
	assert_false(ch_pc_cache_get_bytecode(cache, PC, (uintptr_t)code, EPOCH, &frame));
	ch_pc_cache_put_bytecode(cache, PC, 0x1000, EPOCH, 77);
	assert_false(ch_pc_cache_get(cache, &vm, PC, EPOCH, &got));
	assert_true(ch_pc_cache_get_bytecode(cache, PC, 0x1000, EPOCH, &frame));
	assert_int_equal(frame, 77);
	assert_false(ch_pc_cache_get_bytecode(cache, PC, 0x2000, EPOCH, &frame));
}

static void an_entry_under_way_is_none(void **state)
{
	struct ch_pc_entry e = entry(PC, 2), got;

	(void)state;
	ch_pc_cache_put(cache, &vm, &e);
	for (size_t i = 0; i < CH_PC_CACHE_ENTRIES; i++)
		atomic_fetch_add(&cache->entries[i].seq, 1);
	assert_false(ch_pc_cache_get(cache, &vm, PC, EPOCH, &got));
	ch_pc_cache_put(cache, &vm, &e); /* its writer was put aside: nobody waits for it */
	assert_false(ch_pc_cache_get(cache, &vm, PC, EPOCH, &got));
}

static void it_fills_a_large_page(void **state)
{
	(void)state;
	assert_int_equal((uintptr_t)cache % ((uintptr_t)2 << 20), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, take_cache, drop_cache)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_put_is_found_whole),
		TEST(an_interrupted_instruction_is_no_return_address),
		TEST(other_code_at_the_same_place_is_not_believed),
		TEST(names_count_for_one_epoch),
		TEST(bytecode_and_compiled_code_are_told_apart),
		TEST(an_entry_under_way_is_none),
		TEST(it_fills_a_large_page),
	};

	return cmocka_run_group_tests_name("pc_cache", tests, NULL, NULL);
}
