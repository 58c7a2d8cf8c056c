#include "agent/helpers.h"

#include <string.h>

#include "agent/spans.h"

/*
 * How the names of such threads begin. Threads of pools are not among them: they may work for one
 * task after the other. Nor is "stderr reader for ", which is also what reads from the daemon of all
 * Python workers, for as long as the executor lives.
 */
static const char *const prefixes[] = {
	"stdout writer for ", /* feeds rows to a Python worker */
	"Worker Monitor for ",
	"stdin writer for ", /* of RDD.pipe */
	"Thread-ScriptTransformation-Feed",
};

static _Atomic(jclass) agent_class;
static jmethodID inherited;

void ch_helpers_know(JNIEnv *env, jclass class)
{
	jclass kept, none = NULL;
	jmethodID method;

	if (atomic_load(&agent_class))
		return;
	method = (*env)->GetStaticMethodID(env, class, "inherited", "()J");
	if (!method) {
		(*env)->ExceptionClear(env); /* a Java side of another version */
		return;
	}
	inherited = method;
	kept = (*env)->NewGlobalRef(env, class);
	if (kept && !atomic_compare_exchange_strong(&agent_class, &none, kept))
		(*env)->DeleteGlobalRef(env, kept);
}

static bool is_helper(const struct ch_thread *t)
{
	for (size_t i = 0; i < CH_LEN(prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		if (t->name_len >= n && !memcmp(t->name, prefixes[i], n))
			return true;
	}
	return false;
}

void ch_helper_start(JNIEnv *env, struct ch_thread *t)
{
	jclass class = atomic_load(&agent_class);
	jlong task;

	t->helps = -1;
	if (!class || !is_helper(t))
		return;
	task = (*env)->CallStaticLongMethod(env, class, inherited);
	if ((*env)->ExceptionCheck(env)) {
		(*env)->ExceptionClear(env);
		return;
	}
	if (task >= 0 && ch_span_join(task))
		t->helps = task;
}

void ch_helper_end(struct ch_thread *t)
{
	if (t->helps >= 0)
		ch_span_end(t->helps, NULL, 0);
	t->helps = -1;
}
