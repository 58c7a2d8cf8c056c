/*
 * Output that is either complete or not there: written to a temporary name beside the target and
 * renamed by ch_out_commit; a signal that ends the
 * program removes it (scrap.h). Errors stick; the one check is the result of ch_out_commit.
 */
#ifndef CH_SYS_OUT_H
#define CH_SYS_OUT_H

#include "base/error.h"

#include <stdbool.h>
#include <string.h>

struct ch_out;

/* path "-" is stdout (nothing to rename, the rest holds). */
int ch_out_open(const char *path, struct ch_out **ret, struct ch_error *err);
/* Flushes, makes the file visible under its name and frees out, whatever happens. */
int ch_out_commit(struct ch_out *out, struct ch_error *err);
/* Removes the temporary file and frees out; NULL is fine. */
void ch_out_abort(struct ch_out *out);

void ch_out_write_slow(struct ch_out *out, const void *data, size_t n);
/* True once a write failed: long loops may stop early. */
bool ch_out_failed(const struct ch_out *out);

struct ch_out_window {
	char *at, *end; /* free part of the buffer */
};

static inline void ch_out_write(struct ch_out *out, const void *data, size_t n)
{
	struct ch_out_window *w = (struct ch_out_window *)out;

	if (!data || !n)
		return; /* an empty buffer has no data */
	if (CH_LIKELY((size_t)(w->end - w->at) >= n)) {
		memcpy(w->at, data, n);
		w->at += n;
	} else {
		ch_out_write_slow(out, data, n);
	}
}

static inline void ch_out_putc(struct ch_out *out, char c)
{
	ch_out_write(out, &c, 1);
}

static inline void ch_out_puts(struct ch_out *out, const char *s)
{
	ch_out_write(out, s, strlen(s));
}

/* A decimal number, without the cost of printf. */
void ch_out_i64(struct ch_out *out, int64_t v);

#endif
