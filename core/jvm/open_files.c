/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/open_files.h"

#include "core/base/ascii.h"
#include "core/base/units.h"
#include "core/jvm/procfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void open_files_count(struct open_files *o, const char *link)
{
	if (strncmp(link, "socket:", 7) == 0)
		o->sockets++;
	else if (strncmp(link, "pipe:", 5) == 0)
		o->pipes++;
	else if (link[0] == '/')
		o->files++;
	else
		o->others++;
}

int64_t open_files_parse_limit(const char *limits)
{
	static const char name[] = "Max open files";
	const char *at = strstr(limits, name);

	at = at ? at + sizeof(name) - 1 : "";
	at += strspn(at, " ");
	return is_digit(*at) ? strtoll(at, NULL, 10) : -1;
}

int open_files_read(struct open_files *o, pid_t pid, struct error *err)
{
	struct text limits = { 0 };
	struct dirent *entry;
	DIR *directory;
	int fd = procfs_open(pid, "fd", O_RDONLY | O_DIRECTORY, err);

	*o = (struct open_files){ .limit = -1 };
	if (fd < 0)
		return -1;
	directory = fdopendir(fd);
	if (!directory) {
		close(fd);
		return fail_sys(err, ERROR_FAILED, "/proc/%d/fd", (int)pid);
	}
	while ((entry = readdir(directory))) {
		char link[64];
		ssize_t len = readlinkat(dirfd(directory), entry->d_name, link,
					 sizeof(link) - 1);

		if (len < 0)
			continue;
		link[len] = '\0';
		open_files_count(o, link);
	}
	closedir(directory);
	if (procfs_read(pid, "limits", 8192, &limits, error_unused()) == 0 &&
	    limits.len)
		o->limit = open_files_parse_limit(limits.bytes);
	text_release(&limits);
	return 0;
}

void open_files_add(struct text *out, const struct open_files *o)
{
	text_printf(out, "%zu", o->sockets + o->files + o->pipes + o->others);
	if (o->limit >= 0)
		text_printf(out, " of %" PRId64, o->limit);
	text_printf(out, ": %zu socket%s, %zu file%s, %zu pipe%s, %zu other%s",
		    o->sockets, units_plural(o->sockets), o->files,
		    units_plural(o->files), o->pipes, units_plural(o->pipes),
		    o->others, units_plural(o->others));
}
