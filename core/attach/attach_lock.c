/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach_lock.h"

#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/jvm/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_NAP_NS (1 * CLOCK_NS_PER_MS)
#define LAST_NAP_NS  (50 * CLOCK_NS_PER_MS)
#define LOCKS_LIMIT  ((size_t)1 << 20)

/*
 * "1: FLOCK  ADVISORY  WRITE 4242 00:16:12345 0 EOF": proc(5).  The pid is 0
 * for a process that we cannot see.
 */
static pid_t holder_of_line(struct line line, const char *inode)
{
	char text[128];
	char *at, *pid;

	if (line.len >= sizeof(text))
		return 0;
	memcpy(text, line.text, line.len);
	text[line.len] = '\0';
	at = strstr(text, inode);
	if (!strstr(text, " FLOCK ") || strstr(text, " -> ") || !at)
		return 0;
	/* Back over "00:16" and the blank to the pid. */
	*at = '\0';
	at = strrchr(text, ' ');
	if (!at)
		return 0;
	*at = '\0';
	pid = strrchr(text, ' ');
	return pid ? (pid_t)strtol(pid + 1, NULL, 10) : 0;
}

/* Who has a lock on that file, or 0. */
static pid_t holder(int fd)
{
	struct text locks = { 0 };
	struct error unused;
	struct lines lines;
	struct line line;
	struct stat st;
	char inode[32];
	pid_t pid = 0;

	if (fstat(fd, &st) < 0)
		return 0;
	snprintf(inode, sizeof(inode), ":%" PRIu64 " ", (uint64_t)st.st_ino);
	/* /proc/PID/../locks is /proc/locks. */
	if (procfs_read(getpid(), "../locks", LOCKS_LIMIT, &locks, &unused))
		return 0;
	lines = lines_over(locks.bytes, locks.len);
	while (!pid && lines_next(&lines, &line))
		pid = holder_of_line(line, inode);
	text_release(&locks);
	return pid;
}

static int held_too_long(const struct jvm *jvm, int fd, struct error *err)
{
	pid_t pid = holder(fd);

	if (pid)
		return fail(err, ERROR_REFUSED,
			    "%d: process %d is asking this JVM already; wait "
			    "until it has done",
			    (int)jvm->pid, (int)pid);
	return fail(err, ERROR_REFUSED,
		    "%d: another sjkc is asking this JVM already",
		    (int)jvm->pid);
}

int attach_lock(const struct jvm *jvm, int64_t deadline_ns, int *fd,
		struct error *err)
{
	int64_t ns = FIRST_NAP_NS;
	struct error unused;
	int ret = 0;

	*fd = procfs_open(jvm->pid, "environ", O_RDONLY, &unused);
	if (*fd < 0)
		return 0;
	while (flock(*fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			break;
		if (clock_left_ms(deadline_ns) == 0) {
			ret = held_too_long(jvm, *fd, err);
			break;
		}
		clock_sleep_until(clock_monotonic_ns() + ns);
		ns = ns * 2 < LAST_NAP_NS ? ns * 2 : LAST_NAP_NS;
	}
	if (ret == 0)
		return 0;
	close(*fd);
	*fd = -1;
	return ret;
}
