/* The two halves of reading perf script's text: header lines, and frames. */
#ifndef CH_FORMATS_PERF_H
#define CH_FORMATS_PERF_H

#include "formats/scan.h"
#include "profile/profile.h"

/*
 * A sample's first line, as far as it says anything:
 *
 *	comm pid/tid [cpu] time: period event: rest
 *
 * Every field may be missing (`perf script -F`), comm may hold blanks, a lone number is the tid.
 */
struct ch_perf_header {
	struct ch_span comm, pid, tid, cpu, event;
	struct ch_span who;  /* comm with pid and tid, as written: the same text, the same thread */
	struct ch_span rest; /* behind the event: a frame, or the words of a tracepoint */
	int64_t time_ns;     /* CH_NO_TIME when missing */
	int64_t period;      /* 0 when missing */
};

#define CH_PERF_NO_HEADER                                                                          \
	((struct ch_perf_header){ CH_NO_SPAN, CH_NO_SPAN, CH_NO_SPAN, CH_NO_SPAN, CH_NO_SPAN,      \
	                          CH_NO_SPAN, CH_NO_SPAN, CH_NO_TIME, 0 })

/* True when the line has a time or an event, as no frame and no source line does. */
bool ch_perf_header_parse(struct ch_span line, struct ch_perf_header *ret);

/* perf's name of an event without modifiers: `cycles` of `cycles:ppp`. */
struct ch_span ch_perf_event_name(struct ch_span event);

/* A line of a stack: the function at an address. */
#define CH_PERF_INLINED_MAX 64

struct ch_perf_frames {
	size_t n; /* one, or what a JIT compiler inlined there too, outermost first */
	uint32_t id[CH_PERF_INLINED_MAX];
};

/*
 * The text of a frame line when line is one: what follows the address (the address itself when
 * there is nothing more). Inlined: it runs for every line.
 */
static inline bool ch_perf_is_frame(const char *s, const char *e, const char *limit,
                                    struct ch_span *ret_text);

/*
 * Understands the text behind an address: `symbol+0x1f (dso)`, perhaps with a source line on a
 * line of its own behind it.
 */
void ch_perf_frames_parse(struct ch_profile *p, struct ch_span text, struct ch_perf_frames *ret);

/* perf writes a tab and the address right-aligned in 16 columns: one look at 16 bytes. */
static inline bool ch_perf_is_usual_frame(const char *s, const char *e, const char *limit)
{
#if defined(__SSE2__)
	__m128i bytes, lower, digits, letters;
	unsigned hex, blank;

	if (e - s < 19 || s[0] != '\t' || s[17] != ' ' || limit - s < 32)
		return false;
	bytes = _mm_loadu_si128((const __m128i *)(s + 1));
	lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
	digits = _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8('0' - 1)),
	                       _mm_cmplt_epi8(bytes, _mm_set1_epi8('9' + 1)));
	letters = _mm_and_si128(_mm_cmpgt_epi8(lower, _mm_set1_epi8('a' - 1)),
	                        _mm_cmplt_epi8(lower, _mm_set1_epi8('f' + 1)));
	hex = (unsigned)_mm_movemask_epi8(_mm_or_si128(digits, letters));
	blank = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')));
	return (hex | blank) == 0xffff && !(blank & (blank + 1)) && hex;
#else
	(void)s, (void)e, (void)limit;
	return false;
#endif
}

static inline bool ch_perf_is_frame(const char *s, const char *e, const char *limit,
                                    struct ch_span *ret_text)
{
	const char *start = s, *address;

	if (CH_LIKELY(ch_perf_is_usual_frame(s, e, limit))) {
		*ret_text = (struct ch_span){ s + 18, (size_t)(e - s) - 18 };
		return true;
	}
	while (s < e && ch_is_space(*s))
		s++;
	address = s;
	while (s < e && ch_is_hex(*s))
		s++;
	if (s == address || (s < e && !ch_is_space(*s)))
		return false;
	/* Some tools lose the indentation: then only a dso tells a frame from a header. */
	if (address == start && e[-1] != ')')
		return false;
	while (s < e && ch_is_space(*s))
		s++;
	if (s == e)
		s = address;
	while (e > s && ch_is_space(e[-1]))
		e--;
	*ret_text = (struct ch_span){ s, (size_t)(e - s) };
	return true;
}

#endif
