/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/kernel_call.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/utsname.h>

static bool release_is_before(const char *release,
			      const struct kernel_call *call)
{
	char *end;
	long major = strtol(release, &end, 10);
	long minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;

	return major && (major < call->major ||
			 (major == call->major && minor < call->minor));
}

int kernel_call_fail(const struct kernel_call *call, int sys, struct error *err)
{
	struct utsname host = { .release = "?" };

	uname(&host);
	if (sys == ENOSYS && release_is_before(host.release, call))
		return fail(err, ERROR_UNAVAILABLE,
			    "Linux %.40s has no %s, which requires Linux %d.%d",
			    host.release, call->name, call->major, call->minor);
	return fail(err, ERROR_PERMISSION,
		    "a filter (seccomp) blocks %s, which Linux %.40s has; have "
		    "the container's seccomp profile allow it",
		    call->name, host.release);
}
