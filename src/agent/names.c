#include "agent/names.h"

#include "agent/sampler.h"

/* The epoch ends behind all else: who is in the new one finds nothing of before. */
void ch_names_forget(void)
{
	ch_ids_forget(&ch_sampler.methods);
	ch_ids_forget(&ch_sampler.classes);
	ch_names_end_epoch();
}
