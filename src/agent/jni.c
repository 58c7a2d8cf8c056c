/* The door for Java: the native methods of dev.charcloth.Agent. */
#include "agent/agent.h"

#include "agent/helpers.h"
#include "agent/remarks.h"
#include "agent/spans.h"
#include "base/utf8.h"

JNIEXPORT jstring JNICALL Java_dev_charcloth_Agent_execute(JNIEnv *env, jclass class,
                                                           jstring command);
JNIEXPORT void JNICALL Java_dev_charcloth_Agent_tell(JNIEnv *env, jclass class, jstring text);
JNIEXPORT void JNICALL Java_dev_charcloth_Agent_begin(JNIEnv *env, jclass class, jlong task_id,
                                                      jint stage, jint stage_attempt,
                                                      jint partition, jint attempt,
                                                      jlong sql_execution, jstring executor,
                                                      jstring job_group, jstring description);
JNIEXPORT void JNICALL Java_dev_charcloth_Agent_end(JNIEnv *env, jclass class, jlong task_id,
                                                    jstring result);

static uint32_t code_point(const jchar *s, jsize n, jsize *at)
{
	uint32_t c = s[(*at)++];

	if ((c & 0xfc00) == 0xd800 && *at < n && (s[*at] & 0xfc00) == 0xdc00)
		c = 0x10000 + ((c & 0x3ff) << 10) + (s[(*at)++] & 0x3ffu);
	return c;
}

/* As UTF-8 in `to`, cut where there is no room; its length. */
static size_t copy_text(JNIEnv *env, jstring text, char *to, size_t room)
{
	jchar chars[CH_SPAN_TEXT_MAX];
	jsize n = text ? (*env)->GetStringLength(env, text) : 0;
	size_t used = 0;

	if (n > CH_SPAN_TEXT_MAX)
		n = CH_SPAN_TEXT_MAX;
	if (n)
		(*env)->GetStringRegion(env, text, 0, n, chars);
	for (jsize i = 0; i < n && used + 4 <= room;)
		used += ch_utf8_put(code_point(chars, n, &i), to + used);
	return used;
}

/* The whole text as UTF-8, empty for null; the caller frees it. NULL: out of memory. */
static char *text_of(JNIEnv *env, jstring text)
{
	const char *chars = text ? (*env)->GetStringUTFChars(env, text, NULL) : "";
	size_t n = chars ? strlen(chars) : 0;
	char *to = chars ? malloc(3 * n + 1) : NULL;

	if (to)
		to[ch_utf8_repair(chars, n, to)] = 0;
	if (chars && text)
		(*env)->ReleaseStringUTFChars(env, text, chars);
	if (!chars)
		(*env)->ExceptionClear(env);
	return to;
}

JNIEXPORT jstring JNICALL Java_dev_charcloth_Agent_execute(JNIEnv *env, jclass class,
                                                           jstring command)
{
	char *text = text_of(env, command);
	struct ch_buf out = CH_BUF(1u << 20);
	jstring said;

	(void)class;
	if (text)
		ch_control_run(text, &out);
	else
		ch_buf_puts(&out, "error: out of memory");
	free(text);
	ch_buf_putc(&out, 0);
	said = (*env)->NewStringUTF(env, out.err ? "error: out of memory" : out.data);
	ch_buf_done(&out);
	return said;
}

JNIEXPORT void JNICALL Java_dev_charcloth_Agent_tell(JNIEnv *env, jclass class, jstring text)
{
	char *told = text_of(env, text);

	(void)class;
	if (told)
		ch_remarks_set(told);
	free(told);
}

JNIEXPORT void JNICALL Java_dev_charcloth_Agent_begin(JNIEnv *env, jclass class, jlong task_id,
                                                      jint stage, jint stage_attempt,
                                                      jint partition, jint attempt,
                                                      jlong sql_execution, jstring executor,
                                                      jstring job_group, jstring description)
{
	jstring texts[CH_SPAN_RESULT] = { [CH_SPAN_EXECUTOR] = executor,
		                          [CH_SPAN_JOB_GROUP] = job_group,
		                          [CH_SPAN_DESCRIPTION] = description };
	char room[CH_SPAN_RESULT][CH_SPAN_TEXT_MAX];
	struct ch_span_labels labels = { .task_id = task_id,
		                         .sql_execution = sql_execution,
		                         .stage = stage,
		                         .stage_attempt = stage_attempt,
		                         .partition = partition,
		                         .attempt = attempt };

	ch_helpers_know(env, class);
	for (unsigned i = 0; i < CH_SPAN_RESULT; i++) {
		labels.len[i] = copy_text(env, texts[i], room[i], sizeof(room[i]));
		labels.text[i] = room[i];
	}
	ch_span_start(&labels);
}

JNIEXPORT void JNICALL Java_dev_charcloth_Agent_end(JNIEnv *env, jclass class, jlong task_id,
                                                    jstring result)
{
	char text[CH_SPAN_TEXT_MAX];

	(void)class;
	ch_span_end(task_id, text, copy_text(env, result, text, sizeof(text)));
}
