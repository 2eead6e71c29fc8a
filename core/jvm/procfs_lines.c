/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/procfs_lines.h"

#include "core/base/alloc.h"
#include "core/jvm/procfs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PART = 256 << 10 }; /* a line of smaps has at most 16 KB */

int procfs_lines(pid_t pid, const char *name, size_t limit,
		 bool (*take)(void *to, const char *text, size_t len), void *to,
		 struct error *err)
{
	int fd = procfs_open(pid, name, O_RDONLY, err);
	size_t len = 0, total = 0, whole;
	ssize_t got;
	char *text, *end;

	if (fd < 0)
		return -1;
	text = xmalloc(PART);
	while ((got = procfs_part(pid, name, fd, text + len, PART - len, err)) >
		       0 &&
	       total < limit) {
		total += (size_t)got;
		len += (size_t)got;
		end = memrchr(text, '\n', len);
		whole = end ? (size_t)(end - text) + 1 : 0;
		if (whole && !take(to, text, whole))
			break;
		/* No line of the kernel is that long. */
		if (!whole && len == PART)
			whole = len;
		len -= whole;
		memmove(text, text + whole, len);
	}
	free(text);
	close(fd);
	return got < 0 ? -1 : 0;
}
