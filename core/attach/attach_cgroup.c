/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach_cgroup.h"

#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/jvm/procfs.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CGROUP_LIMIT ((size_t)64 << 10)

/* The first bytes of a file of ours, as a string. */
static bool read_start(const char *path, char *to, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, to, size - 1);

	if (fd >= 0)
		close(fd);
	to[got > 0 ? got : 0] = '\0';
	return got > 0;
}

/* "12:freezer:/path" of version 1, "0::/path" of version 2: cgroups(7). */
static bool is_frozen(struct line line)
{
	char path[4096], said[4096];
	const char *name = memchr(line.text, ':', line.len);
	const char *at = name ? memchr(name + 1, ':',
				       line.len -
					       (size_t)(name + 1 - line.text))
			      : NULL;
	int len;

	if (!at++)
		return false;
	len = (int)(line.len - (size_t)(at - line.text));
	if (at - 2 == name) {
		snprintf(path, sizeof(path), "/sys/fs/cgroup%.*s/cgroup.events",
			 len, at);
		return read_start(path, said, sizeof(said)) &&
		       strstr(said, "frozen 1");
	}
	if (at - name != 9 || memcmp(name, ":freezer:", 9) != 0)
		return false;
	snprintf(path, sizeof(path), "/sys/fs/cgroup/freezer%.*s/freezer.state",
		 len, at);
	return read_start(path, said, sizeof(said)) && strstr(said, "FR");
}

bool attach_cgroup_is_frozen(pid_t pid)
{
	struct text groups = { 0 };
	struct error unused;
	struct lines lines;
	struct line line;
	bool frozen = false;

	if (procfs_read(pid, "cgroup", CGROUP_LIMIT, &groups, &unused))
		return false;
	lines = lines_over(groups.bytes, groups.len);
	while (!frozen && lines_next(&lines, &line))
		frozen = line.len && is_frozen(line);
	text_release(&groups);
	return frozen;
}
