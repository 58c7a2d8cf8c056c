/*
 * Any bytes into the JSON reader: skipping a value and walking over it must agree on whether it is
 * one, and what is written from it must read back.
 */
#include "codec/json.h"
#include "codec/json_out.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Copies the value; recursion is bounded by CH_JSON_DEPTH. */
static void copy(struct ch_json *j, struct ch_json_out *w)
{
	struct ch_span t;
	struct ch_json_number n;

	switch (ch_json_peek(j)) {
	case CH_JSON_OBJECT:
		if (!ch_json_object(j))
			return;
		ch_json_open(w, '{');
		while (ch_json_key(j, &t)) {
			ch_json_put_key(w, "k");
			copy(j, w);
		}
		ch_json_close(w, '}');
		return;
	case CH_JSON_ARRAY:
		if (!ch_json_array(j))
			return;
		ch_json_open(w, '[');
		while (ch_json_item(j))
			copy(j, w);
		ch_json_close(w, ']');
		return;
	case CH_JSON_STRING:
		if (ch_json_text(j, &t))
			ch_json_put_text(w, t.s, t.n);
		return;
	case CH_JSON_NUMBER:
		if (ch_json_number(j, &n))
			ch_json_put_double(w, n.d);
		return;
	case CH_JSON_BOOL:
		ch_json_skip(j);
		ch_json_put_bool(w, true);
		return;
	default:
		ch_json_skip(j);
		ch_json_put_null(w);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ch_buf scratch = CH_BUF(1 << 20), written = CH_BUF(1 << 24);
	struct ch_json skipped = ch_json(data, size, &scratch);
	struct ch_json walked = skipped, again;
	struct ch_json_out w = ch_json_out(&written, true);

	ch_json_skip(&skipped);
	copy(&walked, &w);
	if (ch_json_offset(&skipped) != ch_json_offset(&walked) ||
	    (ch_json_end(&skipped) < 0) != (ch_json_end(&walked) < 0))
		abort();
	ch_json_line(&walked);
	if (!walked.error) {
		again = ch_json(written.data, written.len, &scratch);
		ch_json_skip(&again);
		if (ch_json_end(&again) < 0)
			abort();
	}
	ch_buf_done(&scratch);
	ch_buf_done(&written);
	return 0;
}
