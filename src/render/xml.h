/* Text and numbers inside XML and HTML. What XML cannot hold never reaches it. */
#ifndef CH_RENDER_XML_H
#define CH_RENDER_XML_H

#include "base/buf.h"

/* s as text of an element or a quoted attribute; hidden characters are spelled out (names.h). */
void ch_xml_put(struct ch_buf *b, const char *s, size_t n);

static inline void ch_xml_puts(struct ch_buf *b, const char *s)
{
	ch_xml_put(b, s, strlen(s));
}

/*
 * A number that is not negative, with at most `decimals` (up to 4) digits behind the point and no
 * zeros at its end. What is beyond 64 bits, as sums of hostile weights are, stays at the border.
 */
void ch_xml_number(struct ch_buf *b, double v, unsigned decimals);
/* name="v", the name with its leading space or tag. */
void ch_xml_attr(struct ch_buf *b, const char *name, double v, unsigned decimals);

#endif
