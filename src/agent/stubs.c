#include "agent/stubs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define STUBS_MAX (1u << 16)

struct stub {
	uint64_t start;
	uint32_t size;
	char name[52];
};

static struct {
	pthread_mutex_t lock;
	struct stub *items; /* as they came: the latest at an address is the one */
	size_t n, cap;
	bool asked;
} stubs = { .lock = PTHREAD_MUTEX_INITIALIZER };

void JNICALL ch_stubs_on_code(jvmtiEnv *jvmti, const char *name, const void *address, jint length)
{
	(void)jvmti;
	if (length <= 0)
		return;
	pthread_mutex_lock(&stubs.lock);
	if (stubs.n < STUBS_MAX && CH_ROOM(stubs.items, stubs.cap, stubs.n + 1) == 0) {
		struct stub *s = &stubs.items[stubs.n++];

		*s = (struct stub){ (uintptr_t)address, (uint32_t)length, "" };
		snprintf(s->name, sizeof(s->name), "%s", name ? name : "stub");
	}
	pthread_mutex_unlock(&stubs.lock);
}

void ch_stubs_start(jvmtiEnv *jvmti)
{
	if (stubs.asked)
		return;
	stubs.asked = true;
	(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
	                                   NULL);
	(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
}

bool ch_stubs_find(uint64_t pc, char *to, size_t room)
{
	const struct stub *best = NULL;

	pthread_mutex_lock(&stubs.lock);
	/* Routines lie in blobs that have a name too: the smallest range says most. */
	for (size_t i = stubs.n; i-- > 0;) {
		const struct stub *s = &stubs.items[i];

		if (pc - s->start < s->size && (!best || s->size < best->size))
			best = s;
	}
	if (best)
		snprintf(to, room, "%s", best->name);
	pthread_mutex_unlock(&stubs.lock);
	return best != NULL;
}
