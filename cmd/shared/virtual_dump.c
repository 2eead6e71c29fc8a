/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/virtual_dump.h"

#include "cmd/shared/log.h"
#include "core/attach/helper_process.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/jvm/jdk_version.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define VIRTUAL_FIRST 21 /* the first JDK with virtual threads (JEP 444) */
#define VIRTUAL_FILE  "threads"
/* The JVM may create the file while the child removes the directory. */
#define VIRTUAL_REMOVALS 3

enum { VIRTUAL_READY = 'r', VIRTUAL_WRITTEN = 'w', VIRTUAL_GIVEN_UP = 'g' };
enum { VIRTUAL_PATHS = 64 };
#define VIRTUAL_LAST_NS (2 * CLOCK_NS_PER_S)
/* As of an attach reply. */
#define VIRTUAL_MAX ((size_t)512 << 20)

/* The JVM may not be able to write to some of them. */
static const char *const places[] = { "/tmp", "/dev/shm", "/var/tmp" };

enum { PLACES = sizeof(places) / sizeof(*places) };

/* The task of the child; it shares the memory. */
struct virtual_place {
	const struct jvm *jvm;
	int64_t deadline_ns;
	char path[VIRTUAL_PATHS]; /* of the directory, as the JVM sees it */
	int parents[PLACES];      /* the places, or -1 */
	int parent, fd;           /* of the directory */
	const char *name;         /* of the directory, the end of path */
	int64_t bytes;            /* of the dump when the parent gave up */
};

int virtual_dump_check(const struct jvm *jvm, struct error *err)
{
	struct jvm_info info;
	unsigned version;

	if (jvm->kind != JVM_HOTSPOT)
		return fail(err, ERROR_UNAVAILABLE,
			    "%d: --virtual requires a HotSpot JVM; omit the "
			    "option",
			    (int)jvm->pid);
	if (jvm_info(jvm, &info, err))
		return -1;
	version = jdk_version_of(info.version).feature;
	jvm_info_release(&info);
	/* If the version is unknown, the JVM reports a missing command. */
	if (!version || version >= VIRTUAL_FIRST)
		return 0;
	return fail(err, ERROR_UNAVAILABLE,
		    "%d: --virtual requires JDK %d or later, and this is JDK "
		    "%u, which has no virtual threads; omit the option",
		    (int)jvm->pid, VIRTUAL_FIRST, version);
}

/* ---- the child ---- */

static void place_remove(struct virtual_place *v)
{
	if (v->fd < 0)
		return;
	for (int i = 0; i < VIRTUAL_REMOVALS; i++) {
		unlinkat(v->fd, VIRTUAL_FILE, 0);
		if (unlinkat(v->parent, v->name, AT_REMOVEDIR) == 0 ||
		    errno != ENOTEMPTY)
			break;
	}
	close(v->fd);
	v->fd = -1;
}

/* Creates the directory in a place; returns the errno. */
static int place_make(struct virtual_place *v, int which)
{
	uint64_t random;
	struct stat st;
	int len;

	if (v->parents[which] < 0)
		return ENOENT;
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return EAGAIN;
	v->parent = v->parents[which];
	len = snprintf(v->path, sizeof(v->path), "%s/.sjkc-%016llx",
		       places[which], (unsigned long long)random);
	v->name = v->path + strlen(places[which]) + 1;
	if (len < 0 || mkdirat(v->parent, v->name, 0700) < 0)
		return errno;
	v->fd = openat(v->parent, v->name,
		       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (v->fd < 0) {
		int sys = errno;

		unlinkat(v->parent, v->name, AT_REMOVEDIR);
		return sys;
	}
	/*
	 * Leave a directory alone that another process has put in its place.
	 * It may inherit the bit of a set-group-ID directory.
	 */
	if (fstat(v->fd, &st) == 0 && st.st_uid == v->jvm->uid &&
	    (st.st_mode & 0777) == 0700)
		return 0;
	close(v->fd);
	v->fd = -1;
	return EPERM;
}

static int place_find(struct virtual_place *v, struct error *err)
{
	struct text why = { 0 };

	for (int i = 0; i < PLACES; i++) {
		int sys = place_make(v, i);

		if (!sys) {
			text_release(&why);
			return 0;
		}
		text_printf(&why, "%s%s: %s", i ? "; " : "", places[i],
			    strerror(sys));
	}
	fail(err, ERROR_REFUSED,
	     "%d: the JVM's user can create no directory for the dump (%s); "
	     "mount a tmpfs on the JVM's /tmp",
	     (int)v->jvm->pid, why.bytes);
	text_release(&why);
	return -1;
}

/* Opens the JVM's file, for reading only and without waiting. */
static int place_open_file(const struct virtual_place *v, struct error *err)
{
	struct stat st;
	int fd = openat(v->fd, VIRTUAL_FILE,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return fail_sys(err, ERROR_REFUSED,
				"%d: cannot open the dump that the JVM wrote",
				(int)v->jvm->pid);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == v->jvm->uid)
		return fd;
	close(fd);
	return fail(err, ERROR_REFUSED,
		    "%d: the dump is not a file of the JVM's user",
		    (int)v->jvm->pid);
}

/*
 * Copies the dump to memory that is constant: the JVM could truncate its
 * file while it is read, and its file system could stall the parent.
 */
static int place_copy(int file, struct error *err)
{
	int memory = memfd_create("sjkc-dump", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	size_t len = 0;
	char bytes[65536];
	ssize_t got = 0;

	while (memory >= 0 && len <= VIRTUAL_MAX &&
	       (got = read(file, bytes, sizeof(bytes))) > 0) {
		if (write(memory, bytes, (size_t)got) != got)
			break;
		len += (size_t)got;
	}
	if (memory < 0 || got)
		fail_sys(err, ERROR_FAILED, "cannot copy the dump of the JVM");
	if (len > VIRTUAL_MAX)
		fail(err, ERROR_REFUSED, "the dump is larger than 512 MB");
	close(file);
	if (memory >= 0 && got == 0 && len <= VIRTUAL_MAX &&
	    fcntl(memory, F_ADD_SEALS,
		  F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0)
		return memory;
	if (memory >= 0)
		close(memory);
	return -1;
}

static int place_job(void *self, int channel, struct error *err)
{
	struct virtual_place *v = self;
	struct stat st;
	char word = 0;
	int ret, file = CHILD_NOTHING;

	/* The child has a deadline, and must remove the files first. */
	alarm(0);
	umask(0);
	/* The paths lead through /proc/PID, with the rights of sjkc. */
	for (int i = 0; i < PLACES; i++) {
		struct error unused;

		v->parents[i] = jvm_open_file(v->jvm, places[i],
					      O_PATH | O_DIRECTORY, &unused);
	}
	if (helper_process_become(v->jvm, err) || place_find(v, err))
		return -1;
	ret = child_tell(channel, VIRTUAL_READY, -1);
	if (ret == 0)
		child_hear(channel, v->deadline_ns, &word);
	if (word == VIRTUAL_WRITTEN)
		file = place_open_file(v, err);
	else if (word == VIRTUAL_GIVEN_UP &&
		 fstatat(v->fd, VIRTUAL_FILE, &st, AT_SYMLINK_NOFOLLOW) == 0)
		v->bytes = st.st_size;
	place_remove(v);
	return file >= 0 ? place_copy(file, err) : file;
}

/* ---- the parent ---- */

/* The JVM replies "Created PATH"; other texts report a failure. */
static int virtual_ask(const struct jvm *jvm, struct attach *a, bool is_json,
		       const char *directory, struct error *err)
{
	struct attach_request request = { .operation = "jcmd" };
	struct text command = { 0 }, reply = { 0 };
	int ret;

	text_printf(&command, "Thread.dump_to_file -format=%s %s/" VIRTUAL_FILE,
		    is_json ? "json" : "plain", directory);
	request.args[0] = command.bytes;
	ret = attach_call(a, &request, &reply, err);
	if (ret == 0 && !(reply.bytes && strstr(reply.bytes, "Created ")))
		ret = fail(err, ERROR_REFUSED,
			   "%d: the JVM did not write the dump: %.*s",
			   (int)jvm->pid,
			   reply.bytes ? (int)strcspn(reply.bytes, "\n") : 0,
			   reply.bytes ? reply.bytes : "");
	text_release(&command);
	text_release(&reply);
	return ret;
}

static int virtual_read(int fd, struct input *dump, struct error *err)
{
	char path[32];
	int ret;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = input_open(dump, path, err);
	if (ret == 0)
		ret = input_complete(dump, err);
	dump->name = "the dump of the JVM"; /* the path is a local variable */
	return ret;
}

static int virtual_finish(const struct child *c, int64_t timeout_ns,
			  struct input *dump, struct error *err)
{
	enum child_news news;
	int fd = -1, ret;

	if (child_tell(c->channel, VIRTUAL_WRITTEN, -1))
		return fail(err, ERROR_FAILED, "the helper process has exited");
	news = helper_process_wait(
		c, clock_after(clock_monotonic_ns(), timeout_ns), &fd, err);
	if (news == CHILD_DONE && fd < 0)
		return fail(err, ERROR_FAILED, "no file was received");
	if (news != CHILD_DONE)
		return -1;
	ret = virtual_read(fd, dump, err);
	close(fd);
	return ret;
}

/*
 * The JVM has not replied in time. If it has begun to write, it does not stop,
 * although the file is removed, and accepts no other request before the end.
 */
static void virtual_give_up(const struct child *c,
			    const struct virtual_place *v, struct error *err)
{
	int fd = -1;

	if (child_tell(c->channel, VIRTUAL_GIVEN_UP, -1))
		return;
	helper_process_wait(c,
			    clock_after(clock_monotonic_ns(), VIRTUAL_LAST_NS),
			    &fd, error_unused());
	if (fd >= 0)
		close(fd);
	if (err->kind != ERROR_REFUSED || v->bytes <= 0 || !jvm_runs(v->jvm))
		return;
	fail(err, ERROR_REFUSED,
	     "%d: the JVM did not finish its dump in time: it has written %s, "
	     "continues, and serves other requests afterwards; use a longer "
	     "--timeout",
	     (int)v->jvm->pid, units_bytes((double)v->bytes).text);
}

static void virtual_announce(const struct jvm *jvm, const char *directory)
{
	static bool is_announced;

	if (!is_announced)
		log_info("%d: the JVM writes its threads to a file in %s, "
			 "which sjkc removes; this takes about a minute and 1 "
			 "GB for a million virtual threads, and other requests "
			 "to the JVM wait meanwhile",
			 (int)jvm->pid, directory);
	is_announced = true;
}

int virtual_dump_take(const struct jvm *jvm, struct attach *a, bool is_json,
		      int64_t timeout_ns, struct input *dump, struct error *err)
{
	struct virtual_place *v = child_memory(sizeof(*v));
	struct child c = { .channel = -1 };
	int fd = -1, ret = -1;

	v->jvm = jvm;
	v->fd = -1;
	/* The JVM's reply may take as long, and so may the opened session. */
	for (int i = 0; i < 3; i++)
		v->deadline_ns = clock_after(
			i ? v->deadline_ns : clock_monotonic_ns(), timeout_ns);
	if (helper_process_start(&c, jvm, place_job, v, err) == 0 &&
	    helper_process_wait(&c,
				clock_after(clock_monotonic_ns(), timeout_ns),
				&fd, err) == CHILD_TOLD) {
		v->path[VIRTUAL_PATHS - 1] = '\0';
		virtual_announce(jvm, v->path);
		ret = virtual_ask(jvm, a, is_json, v->path, err);
		if (ret == 0)
			ret = virtual_finish(&c, timeout_ns, dump, err);
		else
			virtual_give_up(&c, v, err);
	}
	helper_process_end(&c);
	child_memory_free(v, sizeof(*v));
	return ret;
}
