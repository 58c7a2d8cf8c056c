#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int ch_fail(struct ch_error *err, int code, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return code;
	err->code = code;
	errno = -code;
	va_start(args, fmt);
	(void)vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return code;
}
