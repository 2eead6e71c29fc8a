/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void error_set(struct error *err, enum error_kind kind, int sys,
		      const char *fmt, va_list args)
{
	err->kind = kind;
	err->sys = sys;
	vsnprintf(err->text, sizeof(err->text), fmt, args);
}

int fail(struct error *err, enum error_kind kind, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	error_set(err, kind, 0, fmt, args);
	va_end(args);
	return -1;
}

int fail_sys(struct error *err, enum error_kind kind, const char *fmt, ...)
{
	int sys = errno;
	size_t used;
	va_list args;

	va_start(args, fmt);
	error_set(err, kind, sys, fmt, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s",
		 strerror(sys));
	return -1;
}

int fail_in(struct error *err, const char *fmt, ...)
{
	char inner[sizeof(err->text)];
	size_t used;
	va_list args;

	memcpy(inner, err->text, sizeof(inner));
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", inner);
	return -1;
}
