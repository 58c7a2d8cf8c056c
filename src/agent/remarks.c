#include "agent/remarks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define REMARKS_MAX ((size_t)512 << 10)

/* Of its own lock, since commands can take their time. */
static struct {
	pthread_mutex_t lock;
	char *text;
} remarks = { .lock = PTHREAD_MUTEX_INITIALIZER };

void ch_remarks_set(const char *text)
{
	size_t n = strnlen(text, REMARKS_MAX);
	char *copy, *old;

	while (n == REMARKS_MAX && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--; /* no half of a character */
	copy = strndup(text, n);
	if (!copy)
		return;
	pthread_mutex_lock(&remarks.lock);
	old = remarks.text;
	remarks.text = copy;
	pthread_mutex_unlock(&remarks.lock);
	free(old);
}

void ch_remarks_put(struct ch_buf *out)
{
	pthread_mutex_lock(&remarks.lock);
	if (remarks.text)
		ch_buf_puts(out, remarks.text);
	pthread_mutex_unlock(&remarks.lock);
}
