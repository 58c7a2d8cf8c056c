#include "formats/pprof.h"
#include "base/hash.h"
#include "base/vec.h"
#include "codec/proto.h"
#include "formats/names.h"
#include "profile/kinds.h"

#include <errno.h>
#include <stdio.h>

/* So many functions inlined into one place is damage: honest ones stay under a hundred. */
#define LINES_MAX 512

/* --- pass one: where everything is ----------------------------------------------------------- */

static int add_string(struct ch_pprof_tables *t, struct ch_cursor body)
{
	size_t n = ch_cursor_left(&body);

	if (CH_ROOM(t->strings, t->strings_cap, t->n_strings + 1) < 0)
		return -ENOMEM;
	t->strings[t->n_strings++] =
	    (struct ch_pprof_string){ body.p, n < UINT32_MAX ? (uint32_t)n : UINT32_MAX, 0 };
	return 0;
}

static int add_thing(struct ch_pprof_table *table, struct ch_cursor body)
{
	struct ch_cursor c = body;
	struct ch_proto f;
	uint64_t id = 0;

	while (ch_proto_next(&c, &f))
		if (f.number == 1)
			id = f.value;
	/* 0 means "none" wherever a number is used. */
	if (!id)
		return 0;
	if (table->n >= UINT32_MAX - 1 || CH_ROOM(table->things, table->cap, table->n + 1) < 0)
		return -ENOMEM;
	table->things[table->n++] = (struct ch_pprof_thing){ .id = id, .body = body };
	return ch_index_put(&table->index, ch_hash_u64(id, 0), (uint32_t)table->n);
}

static struct ch_pprof_thing *find(struct ch_pprof_table *table, uint64_t id)
{
	uint32_t hash = ch_hash_u64(id, 0), at;
	size_t slot = ch_index_start(&table->index, hash);

	while ((at = ch_index_next(&table->index, hash, &slot)))
		if (table->things[at - 1].id == id)
			return &table->things[at - 1];
	return NULL;
}

static int collect(struct ch_pprof_tables *t, struct ch_cursor c)
{
	struct ch_proto f;
	int r = 0;

	while (!r && ch_proto_next(&c, &f)) {
		if (f.wire != CH_PROTO_BYTES)
			continue;
		if (f.number == CH_PPROF_STRING)
			r = add_string(t, f.body);
		else if (f.number == CH_PPROF_FUNCTION)
			r = add_thing(&t->functions, f.body);
		else if (f.number == CH_PPROF_LOCATION)
			r = add_thing(&t->locations, f.body);
		else if (f.number == CH_PPROF_MAPPING)
			r = add_thing(&t->mappings, f.body);
	}
	t->cut = c.bad;
	return r;
}

/* --- pass two: what it means ----------------------------------------------------------------- */

uint32_t ch_pprof_string_id(struct ch_pprof_tables *t, uint64_t i)
{
	struct ch_pprof_string *s;

	if (i >= t->n_strings) {
		t->bad_refs++;
		return 0;
	}
	s = &t->strings[i];
	if (!s->id)
		s->id = ch_profile_str(t->profile, (const char *)s->p, s->n) + 1;
	return s->id - 1;
}

/* a: id of the file name; b: the kind its frames have, CH_KIND_COUNT when it does not say. */
static void resolve_mapping(struct ch_pprof_tables *t, struct ch_pprof_thing *m)
{
	struct ch_cursor c = m->body;
	struct ch_proto f;
	const char *name;
	size_t n;

	while (ch_proto_next(&c, &f))
		if (f.number == 5)
			m->a = ch_pprof_string_id(t, f.value);
	name = ch_profile_text(t->profile, m->a);
	n = strlen(name);
	m->b = CH_KIND_COUNT;
	if (n > 2 && name[0] == '[' && name[n - 1] == ']')
		m->b = ch_kind_named(name + 1, n - 2);
	if (!strncmp(name, "[kernel", 7))
		m->b = CH_KIND_KERNEL;
}

/* a: id of the name; b: id of the source file. */
static void resolve_function(struct ch_pprof_tables *t, struct ch_pprof_thing *fn)
{
	struct ch_cursor c = fn->body;
	struct ch_proto f;
	uint64_t system_name = 0;

	while (ch_proto_next(&c, &f)) {
		if (f.number == 2)
			fn->a = ch_pprof_string_id(t, f.value);
		else if (f.number == 3)
			system_name = f.value;
		else if (f.number == 4)
			fn->b = ch_pprof_string_id(t, f.value);
	}
	if (!fn->a)
		fn->a = ch_pprof_string_id(t, system_name);
}

/* By what the file says, in the order of trust: mapping, source file, the name itself. */
static enum ch_kind kind_of(const struct ch_profile *p, const struct ch_frame *f,
                            const struct ch_pprof_thing *mapping, bool inlined)
{
	const char *file = ch_profile_text(p, f->file);
	struct ch_span name = { p->strings.text[f->name], p->strings.len[f->name] };
	enum ch_kind kind;

	if (mapping && mapping->b < CH_KIND_COUNT)
		return (enum ch_kind)mapping->b;
	kind = ch_kind_by_file(file, strlen(file));
	if (kind == CH_KIND_OTHER && mapping && mapping->a)
		return CH_KIND_NATIVE;
	if (kind == CH_KIND_OTHER)
		kind = ch_name_kind(name);
	return kind == CH_KIND_JAVA && inlined ? CH_KIND_INLINED : kind;
}

/* A place without function: the library it lies in, or its bare address. */
static uint32_t nameless(struct ch_pprof_tables *t, const struct ch_pprof_thing *mapping,
                         uint64_t address)
{
	const char *path = mapping ? ch_profile_text(t->profile, mapping->a) : "";
	const char *base = strrchr(path, '/');
	struct ch_frame f = { 0 };
	char name[300];

	base = base ? base + 1 : path;
	if (*base)
		(void)snprintf(name, sizeof(name), *base == '[' ? "%.250s" : "[%.250s]", base);
	else
		(void)snprintf(name, sizeof(name), "0x%llx", (unsigned long long)address);
	f.name = ch_profile_strz(t->profile, name);
	f.kind = (uint8_t)kind_of(t->profile, &f, mapping, false);
	return ch_profile_frame(t->profile, f);
}

static uint32_t line_frame(struct ch_pprof_tables *t, struct ch_cursor line,
                           const struct ch_pprof_thing *mapping, bool inlined)
{
	struct ch_pprof_thing *fn = NULL;
	struct ch_frame frame = { 0 };
	struct ch_proto f;

	while (ch_proto_next(&line, &f)) {
		if (f.number == 1)
			fn = find(&t->functions, f.value);
		else if (f.number == 2 && f.value <= UINT32_MAX)
			frame.line = (uint32_t)f.value;
	}
	if (!fn)
		t->bad_refs++;
	else
		frame.file = fn->b;
	frame.name = fn && fn->a ? fn->a : ch_profile_strz(t->profile, "[unknown]");
	frame.kind = (uint8_t)kind_of(t->profile, &frame, mapping, inlined);
	return ch_profile_frame(t->profile, frame);
}

static void reverse(uint32_t *a, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t x = a[i];

		a[i] = a[n - 1 - i];
		a[n - 1 - i] = x;
	}
}

/* What a location says besides its lines. */
struct place {
	const struct ch_pprof_thing *mapping;
	uint64_t address;
	size_t lines;
};

static struct place place_of(struct ch_pprof_tables *t, struct ch_cursor body)
{
	struct place at = { 0 };
	struct ch_proto f;

	while (ch_proto_next(&body, &f)) {
		if (f.number == 2 && f.value)
			at.mapping = find(&t->mappings, f.value);
		else if (f.number == 3)
			at.address = f.value;
		else if (f.number == 4)
			at.lines++;
	}
	return at;
}

/* a: where its frames begin in t->frames; b: their number. */
static int resolve_location(struct ch_pprof_tables *t, struct ch_pprof_thing *loc)
{
	struct place at = place_of(t, loc->body);
	struct ch_cursor c = loc->body;
	struct ch_proto f;
	uint32_t *to;
	size_t n = 0;

	if (at.lines > LINES_MAX) {
		ch_profile_damage(t->profile, "pprof: over %d functions inlined into one place",
		                  LINES_MAX);
		at.lines = LINES_MAX;
	}
	if (CH_ROOM(t->frames, t->frames_cap, t->n_frames + at.lines + 1) < 0)
		return -ENOMEM;
	to = t->frames + t->n_frames;
	while (n < at.lines && ch_proto_next(&c, &f))
		if (f.number == 4) {
			to[n] = line_frame(t, f.body, at.mapping, n + 1 < at.lines);
			n++;
		}
	/* The file goes from the innermost to the outermost. */
	reverse(to, n);
	if (!n)
		to[n++] = nameless(t, at.mapping, at.address);
	loc->a = (uint32_t)t->n_frames;
	loc->b = (uint32_t)n;
	t->n_frames += n;
	return t->n_frames < UINT32_MAX ? 0 : -ENOMEM;
}

int ch_pprof_tables_init(struct ch_pprof_tables *t, struct ch_profile *p, const uint8_t *data,
                         size_t n)
{
	int r;

	*t = (struct ch_pprof_tables){ .profile = p };
	r = collect(t, ch_cursor(data, n));
	if (r < 0)
		return r;
	for (size_t i = 0; i < t->mappings.n; i++)
		resolve_mapping(t, &t->mappings.things[i]);
	for (size_t i = 0; i < t->functions.n; i++)
		resolve_function(t, &t->functions.things[i]);
	for (size_t i = 0; !r && i < t->locations.n; i++)
		r = resolve_location(t, &t->locations.things[i]);
	return r;
}

static void table_done(struct ch_pprof_table *table)
{
	free(table->things);
	ch_index_done(&table->index);
}

void ch_pprof_tables_done(struct ch_pprof_tables *t)
{
	free(t->strings);
	free(t->frames);
	table_done(&t->functions);
	table_done(&t->locations);
	table_done(&t->mappings);
}

uint32_t ch_pprof_location(struct ch_pprof_tables *t, uint64_t id, const uint32_t **ret_frames)
{
	const struct ch_pprof_thing *loc = find(&t->locations, id);

	if (!loc) {
		t->bad_refs++;
		return 0;
	}
	*ret_frames = t->frames + loc->a;
	return loc->b;
}
