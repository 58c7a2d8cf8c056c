#include "agent/callback.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/names.h"

/* Without the own walker: as many frames as a small stack may hold. */
#define JVMTI_FRAMES 512

struct ch_thread *ch_callback_thread(void)
{
	struct ch_thread *t;

	if (!atomic_load_explicit(&ch_sampler.running, memory_order_acquire))
		return NULL;
	t = ch_thread_of_tid((int)syscall(SYS_gettid));
	return t && !t->ours ? t : NULL;
}

/* Lfoo/Bar; is written as foo/Bar, and the number of a hidden class behind a plus. */
static uint32_t class_named(char *sig)
{
	size_t n = strlen(sig);
	char *hidden = strrchr(sig, '.');

	if (hidden)
		*hidden = '+';
	if (n > 2 && sig[0] == 'L' && sig[n - 1] == ';')
		return ch_name_class(sig + 1, n - 2);
	return ch_name_class(sig, n);
}

uint32_t ch_callback_class(jclass class)
{
	jvmtiEnv *jvmti = ch_agent.jvmti;
	char *sig = NULL;
	uint32_t id;

	if ((*jvmti)->GetClassSignature(jvmti, class, &sig, NULL) != JVMTI_ERROR_NONE || !sig)
		return 0;
	id = class_named(sig);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)sig);
	return id;
}

static bool take_with_jvmti(struct ch_thread *t, jthread thread, struct ch_sample_of *what)
{
	jvmtiFrameInfo theirs[JVMTI_FRAMES];
	uint64_t frames[JVMTI_FRAMES];
	unsigned max = ch_sampler.max_frames < JVMTI_FRAMES ? ch_sampler.max_frames : JVMTI_FRAMES;
	jint n = 0;

	(*ch_agent.jvmti)->GetStackTrace(ch_agent.jvmti, thread, 0, (jint)max, theirs, &n);
	for (jint i = 0; i < n; i++) {
		unsigned bci =
		    theirs[i].location < 0 ? CH_FRAME_BCI_NONE : (unsigned)theirs[i].location;

		frames[i] = ch_frame_java(CH_FRAME_JMETHOD, (uintptr_t)theirs[i].method >> 3, bci);
	}
	what->frames = frames;
	what->n_frames = (unsigned)n;
	return ch_sampler_take(t, what, NULL);
}

bool ch_callback_take(struct ch_thread *t, jthread thread, struct ch_sample_of *what)
{
	return ch_sampler.asgct ? take_with_jvmti(t, thread, what) : ch_sampler_take(t, what, NULL);
}
