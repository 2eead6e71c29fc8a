/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client/client_load.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/jvm/opener.h"
#include "core/jvm/procfs.h"
#include "jvmti/client/client_library.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define MAPS_LIMIT  ((size_t)64 << 20)
#define WORDS_LIMIT 300
#define DELETED     " (deleted)"
#define DESCRIPTORS "/proc/self/fd/"

/* A JVM responds to attach slightly before it can load agents. */
#define EARLY_NS       CLOCK_NS_PER_S
#define EARLY_PAUSE_NS (20 * CLOCK_NS_PER_MS)

int agent_load_allowed(const struct jvm *jvm, struct error *err)
{
	struct jvm_info about;
	const char *option;
	int ret = 0;

	if (jvm->kind != JVM_HOTSPOT)
		return fail(err, ERROR_UNAVAILABLE,
			    "%d: the sjkc agent is for HotSpot JVMs",
			    (int)jvm->pid);
	/* If the flags are unavailable, try to load. */
	if (jvm_info(jvm, &about, error_unused()))
		return 0;
	option = jvm_info_option(&about, "-XX:-EnableDynamicAgentLoading");
	if (option)
		ret = fail(err, ERROR_REFUSED,
			   "%d: the JVM loads no agents: it was started with "
			   "%s; omit that option",
			   (int)jvm->pid, "-XX:-EnableDynamicAgentLoading");
	jvm_info_release(&about);
	return ret;
}

/* Returns the path in a line of /proc/PID/maps; its length is 0 without one. */
static struct line line_path(struct line line)
{
	const char *at = memchr(line.text, '/', line.len);

	if (!at)
		return (struct line){ 0 };
	return (struct line){ .text = at,
			      .len = (size_t)(line.text + line.len - at) };
}

/* Returns true for "/tmp/.sjkc-…/agent-….so (deleted)"; removes the mark. */
static bool path_is_agent(struct line *path)
{
	const char *name = agent_library_name();
	size_t len = strlen(name);

	if (line_ends(*path, DELETED))
		path->len -= strlen(DELETED);
	return path->len > len + 1 && line_ends(*path, name) &&
	       path->text[path->len - len - 1] == '/' &&
	       memmem(path->text, path->len, "/.sjkc-", 7);
}

static bool jvm_maps_code(struct line line)
{
	const char *at = memchr(line.text, ' ', line.len);

	return at && line.text + line.len - at > 4 && at[3] == 'x';
}

struct found {
	struct line path, range; /* of the library's code */
	bool is_there, has_musl;
};

/*
 * Finds the library with that directory and name, "/.sjkc-…/agent-….so"; NULL =
 * any.
 */
static struct found directory_find_library(const struct text *maps,
					   const char *tail)
{
	struct lines lines = lines_over(maps->bytes, maps->len);
	struct found f = { 0 };
	struct line line;

	while (lines_next(&lines, &line)) {
		struct line path = line_path(line);

		if (path.len && memmem(path.text, path.len, "/ld-musl-", 9))
			f.has_musl = true;
		if (f.is_there || !path.len || !jvm_maps_code(line) ||
		    !path_is_agent(&path) || (tail && !line_ends(path, tail)))
			continue;
		f.is_there = true;
		f.path = path;
		f.range = line;
		f.range.len = (size_t)((const char *)memchr(line.text, ' ',
							    line.len) -
				       line.text);
	}
	return f;
}

static bool directory_copy(char *to, size_t size, struct line from)
{
	if (from.len >= size)
		return false;
	memcpy(to, from.text, from.len);
	to[from.len] = '\0';
	return true;
}

/* Reads the path of the JVM's descriptor, without the mark of removed files. */
static bool descriptor_path(const struct jvm *jvm, const char *name, char *path,
			    size_t size)
{
	size_t mark = strlen(DELETED);
	char link[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%d/fd/%.20s",
		 (int)procfs_owner(jvm->pid), name);
	len = readlink(link, path, size - 1);
	if (len <= 0)
		return false;
	path[len] = '\0';
	if ((size_t)len > mark && strcmp(path + len - mark, DELETED) == 0)
		path[(size_t)len - mark] = '\0';
	return true;
}

/* Finds the JVM's descriptor of the library with this path. */
static bool directory_find_descriptor(const struct jvm *jvm, struct line path,
				      char *out, size_t size)
{
	char name[64], held[AGENT_PATHS];
	struct dirent *entry;
	bool is_there = false;
	DIR *all;

	snprintf(name, sizeof(name), "/proc/%d/fd",
		 (int)procfs_owner(jvm->pid));
	all = opendir(name);
	while (all && !is_there && (entry = readdir(all)))
		is_there = isdigit((unsigned char)*entry->d_name) &&
			   descriptor_path(jvm, entry->d_name, held,
					   sizeof(held)) &&
			   strlen(held) == path.len &&
			   memcmp(held, path.text, path.len) == 0 &&
			   snprintf(out, size, DESCRIPTORS "%s",
				    entry->d_name) < (int)size;
	if (all)
		closedir(all);
	return is_there;
}

/* Reads the mappings; the caller releases them. */
static bool jvm_read_maps(const struct jvm *jvm, struct text *maps)
{
	return procfs_read(jvm->pid, "maps", MAPS_LIMIT, maps,
			   error_unused()) == 0 &&
	       maps->len;
}

bool agent_load_known(const struct jvm *jvm, char *path, size_t size)
{
	struct text maps = { 0 };
	bool is_known = false;

	if (jvm_read_maps(jvm, &maps)) {
		struct found f = directory_find_library(&maps, NULL);
		size_t root = jvm_root_len(jvm, f.path.text, f.path.len);

		if (f.is_there && f.has_musl)
			is_known = directory_find_descriptor(jvm, f.path, path,
							     size);
		else if (f.is_there)
			is_known = directory_copy(
				path, size,
				(struct line){ f.path.text + root,
					       f.path.len - root });
	}
	text_release(&maps);
	return is_known;
}

/* The kernel prints the mounts below the JVM's root, by their paths in it. */
static bool jvm_has_proc(const struct jvm *jvm)
{
	struct text mounts = { 0 };
	struct lines lines;
	struct line line;
	bool has_proc = false;

	if (procfs_read(jvm->pid, "mountinfo", MAPS_LIMIT, &mounts,
			error_unused()))
		return true; /* the JVM reports the failure */
	lines = lines_over(mounts.bytes, mounts.len);
	while (!has_proc && lines_next(&lines, &line))
		has_proc = memmem(line.text, line.len, " /proc ", 7) &&
			   memmem(line.text, line.len, " - proc ", 8);
	text_release(&mounts);
	return has_proc;
}

int agent_load_reachable(const struct jvm *jvm, const char *path,
			 struct error *err)
{
	if (strncmp(path, DESCRIPTORS, strlen(DESCRIPTORS)) != 0 ||
	    jvm_has_proc(jvm))
		return 0;
	return fail(
		err, ERROR_REFUSED,
		"%d: cannot use the loaded agent again: musl's loader finds "
		"it in /proc, which the JVM's root directory lacks; mount "
		"/proc there",
		(int)jvm->pid);
}

bool agent_load_needs_file(const struct jvm *jvm)
{
	struct text maps = { 0 };
	bool has_musl = jvm_read_maps(jvm, &maps) &&
			directory_find_library(&maps, NULL).has_musl;

	text_release(&maps);
	return has_musl;
}

/* The name in map_files is hexadecimal without leading zeros. */
bool agent_load_mapping(const struct jvm *jvm, const char *library, char *name,
			size_t size)
{
	size_t prefix = strlen(DESCRIPTORS);
	char held[AGENT_PATHS], range[64], *end;
	struct text maps = { 0 };
	bool is_there = false;
	const char *tail;

	if (strncmp(library, DESCRIPTORS, prefix) == 0 &&
	    descriptor_path(jvm, library + prefix, held, sizeof(held)))
		library = held;
	tail = strstr(library, "/.sjkc-");
	if (tail && jvm_read_maps(jvm, &maps)) {
		struct found f = directory_find_library(&maps, tail);

		is_there = f.is_there &&
			   directory_copy(range, sizeof(range), f.range);
	}
	text_release(&maps);
	if (is_there) {
		unsigned long long from = strtoull(range, &end, 16);
		unsigned long long to = *end == '-'
						? strtoull(end + 1, NULL, 16)
						: 0;

		snprintf(name, size, "%llx-%llx", from, to);
	}
	return is_there;
}

/* Parses "return code: 0", or "0" before JDK 9. */
int agent_load_verdict(const char *reply, size_t len, struct error *err)
{
	static const char label[] = "return code: ";
	const char *at = len ? memmem(reply, len, label, strlen(label)) : NULL;
	const char *digits = at ? at + strlen(label) : reply;
	size_t left = len ? (size_t)(reply + len - digits) : 0;
	size_t words = len < WORDS_LIMIT ? len : WORDS_LIMIT;
	size_t count = 0;
	int code = 0;

	while (count < left && count < 6 &&
	       isdigit((unsigned char)digits[count]))
		code = code * 10 + (digits[count++] - '0');
	if (count && (at || count == left || digits[count] == '\n')) {
		if (code == 0)
			return 0;
		errno = code;
		return fail_sys(err, ERROR_REFUSED,
				"the sjkc agent cannot open its file");
	}
	while (words && isspace((unsigned char)reply[words - 1]))
		words--;
	return fail(err, ERROR_REFUSED,
		    "the JVM did not load the sjkc agent: %.*s", (int)words,
		    words ? reply : "");
}

static int load_once(struct attach *a, const struct jvm *jvm, const char *path,
		     const char *options, struct error *err)
{
	const struct attach_request request = {
		.operation = "load",
		.args = { path, "true", options },
	};
	struct text reply = { 0 };
	int ret = attach_call(a, &request, &reply, err);

	if (ret == 0 && agent_load_verdict(reply.bytes, reply.len, err))
		ret = fail_in(err, "%d", (int)jvm->pid);
	text_release(&reply);
	return ret;
}

/* The text is from JvmtiAgentList::load_agent() of JDK 21 and later. */
static bool load_is_too_early(const struct error *err)
{
	return err->kind == ERROR_REFUSED && strstr(err->text, "live phase");
}

int agent_load(struct attach *a, const struct jvm *jvm, const char *path,
	       const char *options, struct error *err)
{
	static const struct timespec pause = { .tv_nsec = EARLY_PAUSE_NS };
	int64_t until_ns = clock_monotonic_ns() + EARLY_NS;
	int ret;

	while ((ret = load_once(a, jvm, path, options, err)) &&
	       load_is_too_early(err) && clock_monotonic_ns() < until_ns)
		nanosleep(&pause, NULL);
	return ret;
}

/* ---- the directory of the agent's files ---- */

#define STREAM      "stream"
#define ROOM_WANTED ((uint64_t)4 << 20) /* free bytes */
#define ABANDON_MS  1000
#define LATE_NS     (CLOCK_NS_PER_S / 4) /* for the child's own timeout */
#define PUBLISH_NS  (5 * CLOCK_NS_PER_S)

enum { READY = 'r', DONE = 'd' };
enum { DIRECTORY_NAMES = 32 };

/* The files to create in a place. */
enum { LIBRARY = 1, STREAM_FILE = 2 };

/* In order of preference; "" is the working directory. */
static const char *const places[] = { "/tmp", "/dev/shm", "/var/tmp", "" };

enum { PLACES = 4 };

struct place {
	/* In the JVM's root. */
	char path[AGENT_PATHS - DIRECTORY_NAMES - AGENT_NAMES];
	int dir;        /* O_PATH, -1 = none */
	char wrong[96]; /* why the place is unsuitable; "" = it is suitable */
	int sys;        /* the errno of the reason, or 0 */
	int fit; /* bits LIBRARY, STREAM_FILE: files that can be created here */
};

/* A directory that was created; fd is -1 if there is none. */
struct made {
	int parent, fd;
	char name[DIRECTORY_NAMES];
	int files; /* bits LIBRARY, STREAM_FILE: existing files */
};

/* The task of the child; it shares the memory. */
struct making {
	const struct jvm *jvm;
	const struct agent_orders *orders;
	int64_t deadline_ns;
	int wanted;
	const char *name; /* of the library */
	const void *bytes;
	size_t len;
	struct place places[PLACES];
	struct made made[2];
	char library[AGENT_PATHS], stream[AGENT_PATHS];
};

/*
 * The channel to the child that has files in the target; for signal handlers.
 */
static volatile sig_atomic_t directory_channel = -1;
/* In that child: the created files, to be removed if memory runs out. */
static struct making *volatile directory_making;

static void directory_remove_made(const struct making *of, struct made *m)
{
	if (m->fd < 0)
		return;
	if (m->files & LIBRARY)
		unlinkat(m->fd, of->name, 0);
	if (m->files & STREAM_FILE)
		unlinkat(m->fd, STREAM, 0);
	close(m->fd);
	m->fd = -1;
	unlinkat(m->parent, m->name, AT_REMOVEDIR);
}

static void directory_remove_all(struct making *m)
{
	for (int i = 0; i < 2; i++)
		directory_remove_made(m, &m->made[i]);
}

void agent_directory_abandon(void)
{
	struct pollfd child = { .fd = directory_channel, .events = POLLIN };
	char byte;

	if (directory_making)
		directory_remove_all(directory_making);
	if (child.fd < 0)
		return;
	/*
	 * The child takes this as the end of sjkc, removes its files and exits.
	 */
	shutdown(child.fd, SHUT_WR);
	while (poll(&child, 1, ABANDON_MS) > 0 &&
	       recv(child.fd, &byte, 1, MSG_DONTWAIT) > 0)
		;
}

__attribute__((format(printf, 2, 3))) static void
place_reject(struct place *p, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(p->wrong, sizeof(p->wrong), fmt, args);
	va_end(args);
}

/*
 * Opens the working directory by the path that the JVM has for it.  Fails if
 * the path leads to another directory.
 */
static int directory_open_cwd(const struct jvm *jvm, struct place *p)
{
	struct stat held, named;
	char link[32];
	ssize_t len;
	int fd, same;

	snprintf(link, sizeof(link), "/proc/%d/cwd",
		 (int)procfs_owner(jvm->pid));
	len = readlink(link, p->path, sizeof(p->path));
	if (len <= 0 || (size_t)len == sizeof(p->path) || p->path[0] != '/') {
		snprintf(p->path, sizeof(p->path), "its working directory");
		return -1;
	}
	p->path[len] = '\0';
	fd = jvm_open_file(jvm, p->path, O_PATH | O_DIRECTORY, error_unused());
	if (fd < 0)
		return -1;
	same = open(link, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (same < 0 || fstat(same, &held) < 0 || fstat(fd, &named) < 0 ||
	    held.st_ino != named.st_ino || held.st_dev != named.st_dev) {
		close(fd);
		fd = -1;
	}
	if (same >= 0)
		close(same);
	return fd;
}

static void directory_fail(struct place *p, int sys)
{
	p->sys = sys;
	place_reject(p, "%s", strerror(sys));
}

/*
 * Opens the places with the rights of sjkc: the paths lead through /proc/PID.
 */
static void directory_open_places(struct making *m)
{
	for (int i = 0; i < PLACES; i++) {
		struct place *p = &m->places[i];
		struct error err = { .sys = ENOENT };

		if (*places[i]) {
			snprintf(p->path, sizeof(p->path), "%s", places[i]);
			p->dir = jvm_open_file(m->jvm, p->path,
					       O_PATH | O_DIRECTORY, &err);
		} else {
			p->dir = directory_open_cwd(m->jvm, p);
		}
		if (p->dir < 0)
			directory_fail(p, err.sys);
	}
}

/*
 * Finds out which of the wanted files the place is suitable for, without
 * creating any.
 */
static void place_check(struct place *p, int wanted)
{
	struct statvfs vfs;
	struct statfs fs;

	if (p->dir < 0)
		return;
	if (fstatvfs(p->dir, &vfs) < 0 || fstatfs(p->dir, &fs) < 0) {
		directory_fail(p, errno);
	} else if (vfs.f_flag & ST_RDONLY) {
		place_reject(p, "read-only");
	} else if (vfs.f_bavail * vfs.f_frsize < ROOM_WANTED && vfs.f_blocks) {
		place_reject(p, "no space left");
	} else if (vfs.f_favail == 0 && vfs.f_files) {
		place_reject(p, "no inodes left");
	} else {
		p->fit = wanted;
		if (vfs.f_flag & ST_NOEXEC) {
			p->fit &= ~LIBRARY;
			place_reject(p, "noexec");
		}
		if (!opener_is_lasting(fs.f_type)) {
			p->fit &= ~STREAM_FILE;
			place_reject(p,
				     "on a file system that may stall (0x%lx)",
				     (long)fs.f_type);
		}
	}
}

/* Creates a private directory; returns the errno. */
static int directory_make_directory(const struct making *m, struct place *p,
				    struct made *made)
{
	uint64_t random;
	struct stat st;
	int sys = 0;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return EAGAIN;
	snprintf(made->name, sizeof(made->name), ".sjkc-%016llx",
		 (unsigned long long)random);
	if (mkdirat(p->dir, made->name, 0700) < 0)
		return errno;
	made->parent = p->dir;
	made->fd = openat(p->dir, made->name,
			  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (made->fd < 0)
		sys = errno;
	/*
	 * Leave a directory alone that another process has put in its place.
	 * It may inherit the bit of a set-group-ID directory.
	 */
	else if (fstat(made->fd, &st) < 0 || st.st_uid != m->jvm->uid ||
		 (st.st_mode & 0777) != 0700)
		sys = EPERM;
	if (!sys)
		return 0;
	if (made->fd >= 0)
		close(made->fd);
	else
		unlinkat(p->dir, made->name, AT_REMOVEDIR);
	made->fd = -1;
	return sys;
}

static int directory_write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t done = write(fd, bytes, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? errno : EIO;
		bytes += done;
		len -= (size_t)done;
	}
	return 0;
}

/* Returns a descriptor, or -1 and errno. */
static int directory_create_file(struct made *made, int kind, const char *name,
				 mode_t mode, const void *bytes, size_t len)
{
	int fd = openat(made->fd, name,
			O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			mode);
	int sys;

	if (fd < 0)
		return -1;
	made->files |= kind;
	sys = directory_write_all(fd, bytes, len);
	if (!sys)
		return fd;
	close(fd);
	errno = sys;
	return -1;
}

static int directory_create_stream(struct making *m, struct place *p,
				   struct made *made, int *stream)
{
	static char page[AGENT_HEADER];

	memcpy(page, m->orders, sizeof(*m->orders));
	*stream = directory_create_file(made, STREAM_FILE, STREAM, 0600, page,
					sizeof(page));
	if (*stream < 0)
		return errno;
	snprintf(m->stream, sizeof(m->stream), "%s/%s/" STREAM,
		 strcmp(p->path, "/") == 0 ? "" : p->path, made->name);
	return 0;
}

static int directory_create_library(struct making *m, struct place *p,
				    struct made *made)
{
	int fd = directory_create_file(made, LIBRARY, m->name, 0500, m->bytes,
				       m->len);

	if (fd < 0)
		return errno;
	close(fd);
	snprintf(m->library, sizeof(m->library), "%s/%s/%s",
		 strcmp(p->path, "/") == 0 ? "" : p->path, made->name, m->name);
	return 0;
}

/*
 * Creates the wanted files in a place.  On failure, removes all of them, sets
 * p->wrong and returns false.
 */
static bool directory_make_in(struct making *m, struct place *p, int wanted,
			      struct made *made, int *stream)
{
	int sys = directory_make_directory(m, p, made);

	if (!sys && wanted & LIBRARY)
		sys = directory_create_library(m, p, made);
	if (!sys && wanted & STREAM_FILE)
		sys = directory_create_stream(m, p, made, stream);
	if (!sys)
		return true;
	directory_remove_made(m, made);
	directory_fail(p, sys);
	p->fit = 0;
	return false;
}

/* Creates all wanted files in the first place where that is possible. */
static bool directory_make_somewhere(struct making *m, int wanted,
				     struct made *made, int *stream)
{
	for (int i = 0; i < PLACES; i++)
		if ((m->places[i].fit & wanted) == wanted &&
		    directory_make_in(m, &m->places[i], wanted, made, stream))
			return true;
	return false;
}

/* Returns the fix.  If a limit of sjkc is the reason, a mount does not help. */
static const char *places_remedy(const struct making *m)
{
	for (int i = 0; i < PLACES; i++) {
		switch (m->places[i].sys) {
		case EMFILE:
			return "raise sjkc's limit of open files with `ulimit "
			       "-n`";
		case EFBIG:
			return "raise sjkc's file size limit with `ulimit -f "
			       "unlimited`";
		default:
			break;
		}
	}
	return "mount a tmpfs without noexec on the JVM's /tmp";
}

static int places_fail(const struct making *m, struct error *err)
{
	struct text why = { 0 };
	int ret;

	for (int i = 0; i < PLACES; i++)
		text_printf(&why, "%s%s: %s", i ? "; " : "", m->places[i].path,
			    *m->places[i].wrong ? m->places[i].wrong
						: "not accessible to both");
	ret = fail(
		err, ERROR_REFUSED,
		"%d: the JVM can load the sjkc agent from no directory (%s); "
		"%s",
		(int)m->jvm->pid, why.bytes, places_remedy(m));
	text_release(&why);
	return ret;
}

/*
 * Creates the files in one place if possible, or else each in the first
 * possible place.
 */
static int directory_make(struct making *m, int *stream, struct error *err)
{
	for (int i = 0; i < PLACES; i++)
		place_check(&m->places[i], m->wanted);
	if (directory_make_somewhere(m, m->wanted, &m->made[0], stream))
		return 0;
	if (m->wanted == (LIBRARY | STREAM_FILE) &&
	    directory_make_somewhere(m, LIBRARY, &m->made[0], stream) &&
	    directory_make_somewhere(m, STREAM_FILE, &m->made[1], stream))
		return 0;
	return places_fail(m, err);
}

static int directory_job(void *self, int channel, struct error *err)
{
	struct making *m = self;
	int stream = -1, ret;
	char what;

	/* The child has a deadline, and must remove the files first. */
	alarm(0);
	umask(0);
	directory_open_places(m);
	if (helper_process_become(m->jvm, err))
		return -1;
	directory_making = m;
	ret = directory_make(m, &stream, err);
	if (ret == 0) {
		ret = child_tell(channel, READY, stream);
		/* An open copy would keep the lock after the parent ends. */
		if (stream >= 0)
			close(stream);
		if (ret == 0)
			child_hear(channel, m->deadline_ns, &what);
	}
	directory_remove_all(m);
	return ret ? -1 : CHILD_NOTHING;
}

static struct making *making_new(const struct jvm *jvm)
{
	struct making *m = child_memory(sizeof(*m));

	m->jvm = jvm;
	m->name = agent_library_name();
	m->bytes = agent_library_bytes(&m->len);
	for (int i = 0; i < 2; i++)
		m->made[i].fd = -1;
	return m;
}

/* Starts the child, waits for the files, and frees m. */
static enum child_news directory_start(struct agent_directory *f,
				       struct making *m, int64_t deadline_ns,
				       struct error *err)
{
	enum child_news news = CHILD_FAILED;

	*f = (struct agent_directory){ .stream = -1 };
	if (helper_process_start(&f->child, m->jvm, directory_job, m, err) ==
	    0) {
		directory_channel = f->child.channel;
		news = helper_process_wait(&f->child, deadline_ns + LATE_NS,
					   &f->stream, err);
	}
	memcpy(f->library, m->library, sizeof(f->library));
	memcpy(f->stream_path, m->stream, sizeof(f->stream_path));
	f->library[AGENT_PATHS - 1] = '\0';
	f->stream_path[AGENT_PATHS - 1] = '\0';
	child_memory_free(m, sizeof(*m));
	return news;
}

int agent_directory_make(struct agent_directory *f, const struct jvm *jvm,
			 const struct agent_orders *orders, bool with_library,
			 int64_t deadline_ns, struct error *err)
{
	struct making *m = making_new(jvm);
	enum child_news news;

	m->orders = orders;
	m->deadline_ns = deadline_ns + CLOCK_NS_PER_S;
	m->wanted = STREAM_FILE | (with_library ? LIBRARY : 0);
	news = directory_start(f, m, deadline_ns, err);
	if (news == CHILD_TOLD && f->stream >= 0)
		return 0;
	if (news == CHILD_DONE || news == CHILD_TOLD)
		fail(err, ERROR_FAILED, "no file was received");
	agent_directory_remove(f);
	return -1;
}

int agent_directory_publish(struct agent_directory *f, const struct jvm *jvm,
			    const char *name, const void *bytes, size_t len,
			    struct error *err)
{
	struct making *m = making_new(jvm);
	enum child_news news;

	m->name = name;
	m->bytes = bytes;
	m->len = len;
	m->deadline_ns = INT64_MAX;
	m->wanted = LIBRARY;
	news = directory_start(f, m, clock_monotonic_ns() + PUBLISH_NS, err);
	if (news == CHILD_TOLD)
		return 0;
	if (news == CHILD_DONE)
		fail(err, ERROR_FAILED, "no file was created");
	agent_directory_remove(f);
	return -1;
}

void agent_directory_remove(struct agent_directory *f)
{
	int fd = -1;

	if (!f->child.pid)
		return;
	child_tell(f->child.channel, DONE, -1);
	helper_process_wait(&f->child, clock_monotonic_ns() + CLOCK_NS_PER_S,
			    &fd, error_unused());
	if (fd >= 0)
		close(fd);
	directory_channel = -1;
	helper_process_end(&f->child);
}
