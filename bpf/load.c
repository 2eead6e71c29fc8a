/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/load.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The last line that libbpf had to say. */
static char last_line[160];

static int keep(enum libbpf_print_level level, const char *fmt, va_list args)
{
	if (level == LIBBPF_DEBUG)
		return 0;
	vsnprintf(last_line, sizeof(last_line), fmt, args);
	last_line[strcspn(last_line, "\n")] = '\0';
	return 0;
}

void load_quietly(void)
{
	last_line[0] = '\0';
	libbpf_set_print(keep);
}

int load_refused(const char *what, int sys, struct error *err)
{
	if (sys == EPERM || sys == EACCES)
		return fail(err, ERROR_PERMISSION,
			    "%s: %s: run as root, or with CAP_BPF and "
			    "CAP_PERFMON",
			    what, strerror(sys));
	return fail(err, ERROR_UNAVAILABLE, "%s: %s%s%s", what, strerror(sys),
		    last_line[0] ? ": " : "", last_line);
}
