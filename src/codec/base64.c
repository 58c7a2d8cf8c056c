#include "codec/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static char *encode(char *to, const uint8_t *p, size_t triples)
{
	for (; triples--; p += 3, to += 4) {
		uint32_t v = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];

		to[0] = digits[v >> 18];
		to[1] = digits[v >> 12 & 63];
		to[2] = digits[v >> 6 & 63];
		to[3] = digits[v & 63];
	}
	return to;
}

void ch_base64_put(struct ch_base64 *e, struct ch_buf *to, const void *data, size_t n)
{
	const uint8_t *p = data;
	char *out = ch_buf_room(to, (n / 3 + 1) * 4);

	if (!out)
		return;
	if (e->n_waiting && e->n_waiting + n >= 3) {
		uint8_t triple[3] = { e->waiting[0], e->waiting[1] };

		while (e->n_waiting < 3) {
			triple[e->n_waiting++] = *p++;
			n--;
		}
		e->n_waiting = 0;
		out = encode(out, triple, 1);
	}
	if (!e->n_waiting) {
		out = encode(out, p, n / 3);
		p += n / 3 * 3;
		n %= 3;
	}
	while (n--)
		e->waiting[e->n_waiting++] = *p++;
	to->len = (size_t)(out - to->data);
}

void ch_base64_finish(struct ch_base64 *e, struct ch_buf *to)
{
	uint8_t triple[3] = { e->waiting[0], e->waiting[1] };
	char last[4];

	if (!e->n_waiting)
		return;
	if (e->n_waiting == 1)
		triple[1] = 0;
	encode(last, triple, 1);
	last[3] = '=';
	if (e->n_waiting == 1)
		last[2] = '=';
	ch_buf_put(to, last, 4);
	e->n_waiting = 0;
}
