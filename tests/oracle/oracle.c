/*
 * Compares our walker with AsyncGetCallTrace inside the same signal handler, on every thread of a
 * JVM that runs anything: an agent for tests. At the end it prints what it counted, one `key value`
 * per line, to the file named by its options.
 */
#include <dlfcn.h>
#include <jvmti.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "hotspot/walk.h"
#include "sys/fault.h"

#define DEPTH   256
#define THREADS (1 << 16)

struct asgct_frame {
	jint bci;
	jmethodID method;
};

struct asgct_trace {
	JNIEnv *env;
	jint n;
	struct asgct_frame *frames;
};

static struct ch_vm vm;
static struct ch_pc_cache cache;
static struct ch_unwind *unwind;
static void (*asgct)(struct asgct_trace *, jint, void *);
static _Atomic(JNIEnv *) envs[THREADS]; /* by thread id, modulo */
static int64_t env_offset;
static char *out_path;
static atomic_bool on;

static struct {
	_Atomic uint64_t samples, both, same_callers, same, only_ours, only_theirs;
} counts;

static void count(_Atomic uint64_t *c)
{
	atomic_fetch_add_explicit(c, 1, memory_order_relaxed);
}

/* Their jmethodID points to the Method, on the releases that the walker knows. */
static bool same_method(jmethodID theirs, uint64_t ours)
{
	return theirs && *(const uint64_t *)theirs == ch_frame_what(ours) << 3;
}

/*
 * Callers must be the same. What was inlined into the innermost machine frame may differ where an
 * instruction lies between two places that the compiler described: both are guesses then.
 */
static void compare(const uint64_t *ours, unsigned n, const struct asgct_trace *theirs)
{
	const struct asgct_frame *their_end = theirs->frames + theirs->n;
	unsigned callers = n;

	count(&counts.both);
	for (unsigned i = 0; i < n && callers == n; i++)
		if (ch_frame_kind(ours[i]) != CH_FRAME_INLINED)
			callers = n - i - 1;
	if (theirs->n <= (jint)callers)
		return;
	for (unsigned i = 1; i <= callers; i++)
		if (!same_method(their_end[-(int)i].method, ours[n - i]))
			return;
	count(&counts.same_callers);
	if ((jint)n == theirs->n && same_method(theirs->frames[0].method, ours[0]))
		count(&counts.same);
}

static void on_signal(int sig, siginfo_t *si, void *context)
{
	JNIEnv *env = atomic_load(&envs[syscall(SYS_gettid) % THREADS]);
	struct asgct_frame frames[DEPTH];
	struct asgct_trace theirs = { env, 0, frames };
	uint64_t ours[DEPTH];
	struct ch_walk w = { .vm = &vm, .frames = ours, .max = DEPTH, .cache = &cache };
	struct ch_regs regs = ch_arch_regs(context);
	enum ch_walk_end end;
	bool done;

	(void)sig;
	(void)si;
	if (!atomic_load(&on) || !env)
		return;
	w.thread = (uint64_t)((char *)env - env_offset);
	w.unwind = unwind;
	end = ch_walk_sig(&w, &regs);
	done = (end == CH_WALK_DONE || end == CH_WALK_TRUNCATED) && w.n;
	asgct(&theirs, DEPTH, context);
	count(&counts.samples);
	if (done && theirs.n > 0)
		compare(ours, w.n, &theirs);
	else if (done)
		count(&counts.only_ours);
	else if (theirs.n > 0)
		count(&counts.only_theirs);
}

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
	(void)jvmti;
	(void)thread;
	atomic_store(&envs[syscall(SYS_gettid) % THREADS], env);
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
	(void)jvmti;
	(void)env;
	(void)thread;
	atomic_store(&envs[syscall(SYS_gettid) % THREADS], NULL);
}

/* AsyncGetCallTrace wants jmethodIDs to be there, and somebody to listen for classes. */
static void JNICALL on_prepare(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass class)
{
	jmethodID *methods;
	jint n;

	(void)env;
	(void)thread;
	if ((*jvmti)->GetClassMethods(jvmti, class, &n, &methods) == JVMTI_ERROR_NONE)
		(*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
}

static void JNICALL on_load(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass class)
{
	(void)jvmti;
	(void)env;
	(void)thread;
	(void)class;
}

static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
	struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } };
	jclass class = (*env)->FindClass(env, "java/lang/Thread");
	jfieldID eetop = (*env)->GetFieldID(env, class, "eetop", "J");
	struct ch_error err;
	jclass *classes;
	Dl_info info;
	void *get_env, *lib;
	JavaVM *java;
	jint n;

	env_offset = (char *)env - (char *)(*env)->GetLongField(env, thread, eetop);
	(*env)->GetJavaVM(env, &java);
	memcpy(&get_env, &(*java)->GetEnv, sizeof(get_env));
	dladdr(get_env, &info);
	lib = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	get_env = dlsym(lib, "AsyncGetCallTrace");
	memcpy(&asgct, &get_env, sizeof(asgct));
	if (!asgct || ch_fault_install(&err) < 0 || ch_vm_read(&vm, lib, &err) < 0) {
		fprintf(stderr, "oracle: %s\n", asgct ? err.text : "no AsyncGetCallTrace");
		return;
	}
	if ((*jvmti)->GetLoadedClasses(jvmti, &n, &classes) == JVMTI_ERROR_NONE)
		for (jint i = 0; i < n; i++)
			on_prepare(jvmti, env, thread, classes[i]);
	unwind = ch_unwind_new(16u << 20, NULL, NULL);
	if (!unwind || ch_unwind_refresh(unwind) < 0)
		return;
	atomic_store(&on, true);
	sigaction(SIGPROF, &sa, NULL);
	setitimer(ITIMER_PROF, &every, NULL);
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *env)
{
	struct itimerval never = { { 0, 0 }, { 0, 0 } };
	FILE *f;

	(void)jvmti;
	(void)env;
	setitimer(ITIMER_PROF, &never, NULL);
	atomic_store(&on, false);
	f = out_path ? fopen(out_path, "we") : NULL;
	if (!f)
		return;
#define PUT(member) fprintf(f, #member " %llu\n", (unsigned long long)counts.member)
	PUT(samples);
	PUT(both);
	PUT(same_callers);
	PUT(same);
	PUT(only_ours);
	PUT(only_theirs);
#undef PUT
	fclose(f);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java, char *options, void *reserved)
{
	static const jvmtiEvent events[] = { JVMTI_EVENT_CLASS_LOAD,   JVMTI_EVENT_CLASS_PREPARE,
		                             JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END,
		                             JVMTI_EVENT_VM_INIT,      JVMTI_EVENT_VM_DEATH };
	jvmtiEventCallbacks callbacks = { .ClassLoad = on_load,
		                          .ClassPrepare = on_prepare,
		                          .ThreadStart = on_thread_start,
		                          .ThreadEnd = on_thread_end,
		                          .VMInit = on_init,
		                          .VMDeath = on_death };
	jvmtiEnv *jvmti;

	(void)reserved;
	out_path = options ? strdup(options) : NULL;
	if ((*java)->GetEnv(java, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK)
		return JNI_ERR;
	(*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks));
	for (size_t i = 0; i < CH_LEN(events); i++)
		(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, events[i], NULL);
	return JNI_OK;
}
