#include "profile/kinds.h"

const char *const ch_kinds[CH_KIND_COUNT] = {
	[CH_KIND_OTHER] = "other",     [CH_KIND_JAVA] = "java",
	[CH_KIND_C1] = "c1",           [CH_KIND_INTERPRETED] = "interpreted",
	[CH_KIND_INLINED] = "inlined", [CH_KIND_NATIVE] = "native",
	[CH_KIND_JVM] = "jvm",         [CH_KIND_KERNEL] = "kernel",
	[CH_KIND_PYTHON] = "python",   [CH_KIND_ALLOC] = "alloc",
	[CH_KIND_LOCK] = "lock",       [CH_KIND_LABEL] = "label",
};

enum ch_kind ch_kind_named(const char *word, size_t n)
{
	for (int k = 0; k < CH_KIND_COUNT; k++)
		if (strlen(ch_kinds[k]) == n && !memcmp(ch_kinds[k], word, n))
			return (enum ch_kind)k;
	return CH_KIND_COUNT;
}

enum ch_kind ch_kind_by_file(const char *file, size_t n)
{
	static const struct {
		const char *extension;
		enum ch_kind kind;
	} table[] = {
		{ "java", CH_KIND_JAVA },  { "scala", CH_KIND_JAVA }, { "kt", CH_KIND_JAVA },
		{ "py", CH_KIND_PYTHON },  { "pyx", CH_KIND_PYTHON }, { "c", CH_KIND_NATIVE },
		{ "h", CH_KIND_NATIVE },   { "cc", CH_KIND_NATIVE },  { "cpp", CH_KIND_NATIVE },
		{ "hpp", CH_KIND_NATIVE }, { "go", CH_KIND_NATIVE },  { "rs", CH_KIND_NATIVE },
		{ "s", CH_KIND_NATIVE },   { "S", CH_KIND_NATIVE },
	};
	const char *dot = n ? memrchr(file, '.', n) : NULL;
	size_t len = dot ? (size_t)(file + n - dot - 1) : 0;

	for (size_t i = 0; dot && i < CH_LEN(table); i++)
		if (strlen(table[i].extension) == len && !memcmp(table[i].extension, dot + 1, len))
			return table[i].kind;
	return CH_KIND_OTHER;
}
