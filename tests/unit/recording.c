#include "recording.h"

#include "reading.h"

int64_t recording_samples(const char *path, const char *stack)
{
	static char bytes[4 << 20];
	FILE *f = fopen(path, "re");
	struct ch_profile *p;
	int64_t n = 0;
	size_t size;

	assert_non_null(f);
	size = fread(bytes, 1, sizeof(bytes), f);
	(void)fclose(f);
	p = read_bytes("jfr", bytes, size, &(struct ch_want){ .all_labels = true });
	if (!p)
		fail_msg("%s", reading_err.text);
	for (size_t i = 0; i < p->rows.n; i++) {
		char text[4096] = "";

		put_stack(p, p->rows.stack[i], text, sizeof(text));
		if (!stack || !strcmp(text, stack))
			n += p->rows.samples[i];
	}
	ch_profile_free(p);
	return n;
}
