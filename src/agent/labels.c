#include "agent/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

static void put_role(struct ch_chunk *c, const char *command)
{
	char words[COMMAND_MAX], variables[1024];
	struct ch_spark_role r;

	ch_spark_role(words_in(command, words, sizeof(words)),
	              environment_in(variables, sizeof(variables)), &r);
	put_label(c, "role", span_of(r.role));
	put_label(c, "app", r.app);
	put_label(c, "executor", r.executor);
}

void ch_labels_write(struct ch_chunk *c, const char *command)
{
	char text[256] = "";

	if (gethostname(text, sizeof(text) - 1) == 0)
		put_label(c, "host", span_of(text));
	snprintf(text, sizeof(text), "%d", (int)getpid());
	put_label(c, "pid", span_of(text));
	if (command)
		put_role(c, command);
}
