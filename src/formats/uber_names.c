#include "formats/uber.h"
#include "base/span.h"

const struct ch_uber_field ch_uber_fields[] = {
	{ "threadName", "thread" }, { "threadState", "state" }, { "host", "host" },
	{ "name", "process" },      { "appId", "app" },         { "role", "role" },
	{ "tag", "tag" },
};
const size_t ch_n_uber_fields = CH_LEN(ch_uber_fields);

/* What class and method names are made of in bytecode, and the slash of hidden classes. */
static bool is_name_byte(char c)
{
	static const char others[] = "_$<>-/.+";

	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || ch_is_digit(c) ||
	       (unsigned char)c >= 0x80 || (c && strchr(others, c));
}

bool ch_uber_to_slash(struct ch_buf *out, const char *name, size_t n)
{
	const char *method = n ? memrchr(name, '.', n) : NULL;
	bool java = method != NULL;
	char *to = ch_buf_room(out, n);

	if (!to)
		return false;
	for (size_t i = 0; java && i < n; i++)
		java = is_name_byte(name[i]);
	for (size_t i = 0; i < n; i++)
		to[i] = java && name[i] == '.' && name + i < method ? '/' : name[i];
	out->len += n;
	return java;
}

void ch_uber_to_dot(struct ch_buf *out, const char *name, size_t n)
{
	char *to = ch_buf_room(out, n);

	if (!to)
		return;
	/* A number behind a slash belongs to a hidden class: a/b/C$$Lambda$7/0x01.run */
	for (size_t i = 0; i < n; i++) {
		bool number = i + 1 < n && ch_is_digit(name[i + 1]);

		to[i] = name[i] == '/' && !number ? '.' : name[i];
	}
	out->len += n;
}
