/* Any bytes into one reader, then through the model: nothing may crash, hang or grow without end. */
#include "formats/inputs.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct ch_reader *reader(void)
{
	for (size_t i = 0; i < ch_n_readers; i++)
		if (!strcmp(ch_readers[i].name, READER))
			return &ch_readers[i];
	abort();
}

static void read_once(const struct ch_input *in, const struct ch_want *want)
{
	struct ch_error err;
	struct ch_profile *p = ch_profile_new(want), *merged = ch_profile_new(want);

	if (p && merged) {
		reader()->probe(in);
		if (reader()->read(in, p, &err) >= 0)
			ch_profile_merge(merged, p, 0);
		ch_profile_status(merged, &err);
	}
	ch_profile_free(p);
	ch_profile_free(merged);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[] = "fuzz";
	struct ch_input in = { .name = name, .data = data, .size = size, .map.slot = -1 };

	read_once(&in, &(struct ch_want){ 0 });
	read_once(&in, &(struct ch_want){
	                   .times = true, .lines = true, .all_labels = true, .series = true });
	return 0;
}
