/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/open_files.h"

#include <stdbool.h>
#include <sys/resource.h>

static struct rlimit before;
static bool is_raised;

uint64_t open_files_raise(uint64_t wanted)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return UINT64_MAX;
	if (limit.rlim_cur >= wanted || limit.rlim_cur == limit.rlim_max)
		return limit.rlim_cur;
	if (!is_raised)
		before = limit;
	limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return before.rlim_cur;
	is_raised = true;
	return limit.rlim_cur;
}

void open_files_restore(void)
{
	if (is_raised)
		setrlimit(RLIMIT_NOFILE, &before);
}
