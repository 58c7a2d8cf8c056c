#include "agent/labels.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/args.h"
#include "base/utf8.h"
#include "spark/role.h"

/* A command line is told up to here; ids of Spark stand near its start. */
#define COMMAND_MAX 4096

static void put_label(struct ch_chunk *c, const char *key, struct ch_span value)
{
	size_t begun;

	if (!value.n)
		return;
	begun = ch_chunk_event(c, CH_T_LABELS, c->start_ticks);
	ch_chunk_text(c, key);
	ch_jfr_put_text(&c->events, value.s, value.n);
	ch_jfr_event_end(&c->events, begun);
}

/* --- what we were told ----------------------------------------------------------------------- */

#define LABEL_MAX (3 * CH_ARGS_NAME_MAX) /* a byte that is no text becomes three */

struct label {
	char key[LABEL_MAX + 1], value[LABEL_MAX];
	size_t n; /* of the value */
};

/* The byte that %xx stands for, -1 where it stands for itself. */
static int escaped(struct ch_span s)
{
	char digits[3] = { 0 };

	if (s.n < 3 || s.s[0] != '%' || !isxdigit((unsigned char)s.s[1]) ||
	    !isxdigit((unsigned char)s.s[2]))
		return -1;
	memcpy(digits, s.s + 1, 2);
	return (int)strtol(digits, NULL, 16);
}

/* What was meant, as text; its length. */
static size_t decode(struct ch_span s, char to[LABEL_MAX])
{
	char bytes[CH_ARGS_NAME_MAX];
	size_t n = 0;

	for (; s.n && n < sizeof(bytes); n++) {
		int byte = escaped(s);
		size_t used = byte < 0 ? 1 : 3;

		bytes[n] = byte < 0 ? *s.s : (char)byte;
		s.s += used;
		s.n -= used;
	}
	return ch_utf8_repair(bytes, n, to);
}

/* The next label of *text, which moves behind it; false at the end. Words without = are passed over. */
static bool next_label(const char **text, struct label *ret)
{
	while (**text) {
		size_t n = strcspn(*text, ";"), key = strcspn(*text, "=;");
		const char *at = *text;

		*text += n + (at[n] == ';');
		if (key && key < n) {
			ret->key[decode((struct ch_span){ at, key }, ret->key)] = 0;
			ret->n = decode((struct ch_span){ at + key + 1, n - key - 1 }, ret->value);
			return true;
		}
	}
	return false;
}

static bool is_told(const char *told, const char *key)
{
	struct label l;

	while (next_label(&told, &l))
		if (!strcmp(l.key, key))
			return true;
	return false;
}

static void put_told(struct ch_chunk *c, const char *told)
{
	struct label l;

	while (next_label(&told, &l))
		put_label(c, l.key, (struct ch_span){ l.value, l.n });
}

/* --- what we find out ------------------------------------------------------------------------ */

static void put_found(struct ch_chunk *c, const char *told, const char *key, struct ch_span value)
{
	if (!is_told(told, key))
		put_label(c, key, value);
}

static struct ch_span span_of(const char *s)
{
	return s ? (struct ch_span){ s, strlen(s) } : CH_NO_SPAN;
}

/* The variables that tell a process its part, one behind the other with their NULs. */
static struct ch_texts environment_in(char *room, size_t size)
{
	static const char *const names[] = { "SPARK_EXECUTOR_ID", "SPARK_APPLICATION_ID",
		                             "CONTAINER_ID" };
	size_t n = 0;

	for (size_t i = 0; i < CH_LEN(names); i++) {
		const char *value = getenv(names[i]);

		if (value && strlen(names[i]) + strlen(value) + 2 <= size - n)
			n += (size_t)snprintf(room + n, size - n, "%s=%s", names[i], value) + 1;
	}
	return (struct ch_texts){ room, room + n };
}

/* The JVM joins the words of its command by blanks. */
static struct ch_texts words_in(const char *command, char *room, size_t size)
{
	size_t n = 0;

	for (; *command && n + 1 < size; command++, n++)
		room[n] = *command == ' ' ? '\0' : *command;
	room[n] = '\0';
	return (struct ch_texts){ room, room + n + 1 };
}

static void put_role(struct ch_chunk *c, const char *told, const char *command)
{
	char words[COMMAND_MAX], variables[1024];
	struct ch_spark_role r;

	ch_spark_role(words_in(command, words, sizeof(words)),
	              environment_in(variables, sizeof(variables)), &r);
	put_found(c, told, "role", span_of(r.role));
	put_found(c, told, "app", r.app);
	put_found(c, told, "executor", r.executor);
}

void ch_labels_write(struct ch_chunk *c, const char *told, const char *command)
{
	char text[256] = "";

	put_told(c, told);
	if (gethostname(text, sizeof(text) - 1) == 0)
		put_found(c, told, "host", span_of(text));
	snprintf(text, sizeof(text), "%d", (int)getpid());
	put_found(c, told, "pid", span_of(text));
	if (command)
		put_role(c, told, command);
}
