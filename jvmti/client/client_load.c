/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client/client_load.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/jvm/procfs.h"
#include "jvmti/client/client_library.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
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

/* A JVM answers a little before it may load agents. */
#define EARLY_NS       CLOCK_NS_PER_S
#define EARLY_PAUSE_NS (20 * CLOCK_NS_PER_MS)

int agent_load_allowed(const struct jvm *jvm, struct error *err)
{
	struct jvm_info about;
	struct error unused;
	const char *option;
	int ret = 0;

	if (jvm->kind != JVM_HOTSPOT)
		return fail(err, ERROR_UNAVAILABLE,
			    "%d: the agent is for HotSpot JVMs", (int)jvm->pid);
	/* What cannot be looked up is found out by trying. */
	if (jvm_info(jvm, &about, &unused))
		return 0;
	option = jvm_info_option(&about, "-XX:-EnableDynamicAgentLoading");
	if (option)
		ret = fail(err, ERROR_REFUSED,
			   "%d: the JVM loads no agents: it was started with "
			   "%s; omit that option or use --no-agent",
			   (int)jvm->pid, "-XX:-EnableDynamicAgentLoading");
	jvm_info_release(&about);
	return ret;
}

/* The path of a line of /proc/PID/maps; its length is 0 without one. */
static struct line path_of(struct line line)
{
	const char *at = memchr(line.text, '/', line.len);

	if (!at)
		return (struct line){ 0 };
	return (struct line){ .text = at,
			      .len = (size_t)(line.text + line.len - at) };
}

/* "/tmp/.sjkc-…/agent-….so (deleted)", of which the end goes. */
static bool file_is_ours(struct line *path)
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

static struct found folder_look_for(const struct text *maps)
{
	struct lines lines = lines_over(maps->bytes, maps->len);
	struct found f = { 0 };
	struct line line;

	while (lines_next(&lines, &line)) {
		struct line path = path_of(line);

		if (path.len && memmem(path.text, path.len, "/ld-musl-", 9))
			f.has_musl = true;
		if (f.is_there || !path.len || !jvm_maps_code(line) ||
		    !file_is_ours(&path))
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

static bool folder_copy(char *to, size_t size, struct line from)
{
	if (from.len >= size)
		return false;
	memcpy(to, from.text, from.len);
	to[from.len] = '\0';
	return true;
}

/*
 * Of a JVM whose root is a folder of ours (chroot), the kernel says paths from
 * our root on; its loader knows them from its own.
 */
static void strip_root(const struct jvm *jvm, struct line *path)
{
	char link[32], root[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%d/root", (int)jvm->pid);
	len = readlink(link, root, sizeof(root));
	if (len > 1 && (size_t)len < path->len &&
	    memcmp(path->text, root, (size_t)len) == 0 &&
	    path->text[len] == '/') {
		path->text += len;
		path->len -= (size_t)len;
	}
}

bool agent_load_known(const struct jvm *jvm, char *path, size_t size)
{
	struct text maps = { 0 };
	struct error unused;
	struct found f = { 0 };
	bool is_known = false;

	if (procfs_read(jvm->pid, "maps", MAPS_LIMIT, &maps, &unused) == 0 &&
	    maps.len) {
		f = folder_look_for(&maps);
		if (f.is_there)
			strip_root(jvm, &f.path);
		is_known = f.is_there && !f.has_musl &&
			   folder_copy(path, size, f.path);
	}
	text_release(&maps);
	return is_known;
}

/* As map_files has it: hexadecimal without zeros in front. */
bool agent_load_mapping(const struct jvm *jvm, char *name, size_t size)
{
	struct text maps = { 0 };
	struct error unused;
	bool is_there = false;
	char range[64], *end;

	if (procfs_read(jvm->pid, "maps", MAPS_LIMIT, &maps, &unused) == 0 &&
	    maps.len) {
		struct found f = folder_look_for(&maps);

		is_there = f.is_there &&
			   folder_copy(range, sizeof(range), f.range);
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

/* "return code: 0", or before JDK 9 just "0". */
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
				"the agent cannot open its file");
	}
	while (words && isspace((unsigned char)reply[words - 1]))
		words--;
	return fail(err, ERROR_REFUSED, "the JVM did not load the agent: %.*s",
		    (int)words, words ? reply : "");
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

/* JvmtiAgentList::load_agent() of JDK 21 and later. */
static bool is_too_early(const struct error *err)
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
	       is_too_early(err) && clock_monotonic_ns() < until_ns)
		nanosleep(&pause, NULL);
	return ret;
}

/*
 * The directory of the agent's files.
 */

#define STREAM      "stream"
#define ROOM_WANTED ((uint64_t)4 << 20) /* bytes free */
#define ABANDON_MS  1000
#define LATE_NS     (CLOCK_NS_PER_S / 4) /* the child knows why, if it does */

enum { READY = 'r', DONE = 'd' };
enum { FOLDER_NAMES = 32 };

/* What is to be made in a place. */
enum { LIBRARY = 1, STREAM_FILE = 2 };

/* In the order of preference; the working directory is "". */
static const char *const places[] = { "/tmp", "/dev/shm", "/var/tmp", "" };

enum { PLACES = 4 };

struct place {
	char path[AGENT_PATHS - FOLDER_NAMES - AGENT_NAMES]; /* in the JVM */
	int dir;        /* O_PATH, -1 = none */
	char wrong[96]; /* why it will not do; "" = it will */
	int sys;        /* the errno that this is, or 0 */
	int fit;        /* LIBRARY, STREAM_FILE */
};

/* A folder that was made, which is empty when fd is -1. */
struct made {
	int parent, fd;
	char name[FOLDER_NAMES];
	int files; /* LIBRARY, STREAM_FILE */
};

/* Shared with the child. */
struct making {
	const struct jvm *jvm;
	const struct agent_orders *orders;
	int64_t deadline_ns;
	int wanted;
	struct place places[PLACES];
	struct made made[2];
	char library[AGENT_PATHS], stream[AGENT_PATHS];
};

/* The channel to the child that has files in the target; for handlers. */
static volatile sig_atomic_t folder_channel = -1;
/* In that child: what it has made, should it run out of memory. */
static struct making *volatile folder_making;

static void folder_remove_made(struct made *m)
{
	if (m->fd < 0)
		return;
	if (m->files & LIBRARY)
		unlinkat(m->fd, agent_library_name(), 0);
	if (m->files & STREAM_FILE)
		unlinkat(m->fd, STREAM, 0);
	close(m->fd);
	m->fd = -1;
	unlinkat(m->parent, m->name, AT_REMOVEDIR);
}

static void folder_remove_all(struct making *m)
{
	for (int i = 0; i < 2; i++)
		folder_remove_made(&m->made[i]);
}

void agent_folder_abandon(void)
{
	struct pollfd child = { .fd = folder_channel, .events = POLLIN };
	char byte;

	if (folder_making)
		folder_remove_all(folder_making);
	if (child.fd < 0)
		return;
	/* It takes this for our end, removes its files and ends. */
	shutdown(child.fd, SHUT_WR);
	while (poll(&child, 1, ABANDON_MS) > 0 &&
	       recv(child.fd, &byte, 1, MSG_DONTWAIT) > 0)
		;
}

__attribute__((format(printf, 2, 3))) static void is_wrong(struct place *p,
							   const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(p->wrong, sizeof(p->wrong), fmt, args);
	va_end(args);
}

/*
 * The working directory, by the path that the JVM has for it, if that leads
 * there.
 */
static int folder_open_cwd(const struct jvm *jvm, struct place *p)
{
	struct error unused;
	struct stat held, named;
	char link[32];
	ssize_t len;
	int fd, same;

	snprintf(link, sizeof(link), "/proc/%d/cwd", (int)jvm->pid);
	len = readlink(link, p->path, sizeof(p->path));
	if (len <= 0 || (size_t)len == sizeof(p->path) || p->path[0] != '/') {
		snprintf(p->path, sizeof(p->path), "its working directory");
		return -1;
	}
	p->path[len] = '\0';
	fd = jvm_open_file(jvm, p->path, O_PATH | O_DIRECTORY, &unused);
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

static void folder_fail(struct place *p, int sys)
{
	p->sys = sys;
	is_wrong(p, "%s", strerror(sys));
}

/* By rights of ours: the ways lead through /proc/PID. */
static void folder_open_places(struct making *m)
{
	for (int i = 0; i < PLACES; i++) {
		struct place *p = &m->places[i];
		struct error err = { .sys = ENOENT };

		if (*places[i]) {
			snprintf(p->path, sizeof(p->path), "%s", places[i]);
			p->dir = jvm_open_file(m->jvm, p->path,
					       O_PATH | O_DIRECTORY, &err);
		} else {
			p->dir = folder_open_cwd(m->jvm, p);
		}
		if (p->dir < 0)
			folder_fail(p, err.sys);
	}
}

/*
 * File systems of the kernel's own: what another process or machine serves may
 * hold up the JVM's threads that write there, and us who read.
 */
static bool is_local(long type)
{
	static const long known[] = {
		TMPFS_MAGIC,      RAMFS_MAGIC,          EXT4_SUPER_MAGIC,
		XFS_SUPER_MAGIC,  BTRFS_SUPER_MAGIC,    OVERLAYFS_SUPER_MAGIC,
		F2FS_SUPER_MAGIC, 0x2fc12fc1 /* ZFS */,
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (type == known[i])
			return true;
	return false;
}

/* What of the wanted the place is fit for, without touching it. */
static void look_at_place(struct place *p, int wanted)
{
	struct statvfs vfs;
	struct statfs fs;

	if (p->dir < 0)
		return;
	if (fstatvfs(p->dir, &vfs) < 0 || fstatfs(p->dir, &fs) < 0) {
		folder_fail(p, errno);
	} else if (vfs.f_flag & ST_RDONLY) {
		is_wrong(p, "read-only");
	} else if (vfs.f_bavail * vfs.f_frsize < ROOM_WANTED && vfs.f_blocks) {
		is_wrong(p, "no space left");
	} else if (vfs.f_favail == 0 && vfs.f_files) {
		is_wrong(p, "no inodes left");
	} else {
		p->fit = wanted;
		if (vfs.f_flag & ST_NOEXEC) {
			p->fit &= ~LIBRARY;
			is_wrong(p, "noexec");
		}
		if (!is_local((long)fs.f_type)) {
			p->fit &= ~STREAM_FILE;
			is_wrong(p, "on a file system that may stall (0x%lx)",
				 (long)fs.f_type);
		}
	}
}

/* A folder of ours there; the errno. */
static int folder_make_directory(const struct making *m, struct place *p,
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
	/* Another's that was put in its place meanwhile is left alone. */
	else if (fstat(made->fd, &st) < 0 || st.st_uid != m->jvm->uid ||
		 (st.st_mode & 07777) != 0700)
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

static int folder_write_all(int fd, const char *bytes, size_t len)
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

/* An fd, or -1 and errno. */
static int folder_create_file(struct made *made, int kind, const char *name,
			      mode_t mode, const void *bytes, size_t len)
{
	int fd = openat(made->fd, name,
			O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			mode);
	int sys;

	if (fd < 0)
		return -1;
	made->files |= kind;
	sys = folder_write_all(fd, bytes, len);
	if (!sys)
		return fd;
	close(fd);
	errno = sys;
	return -1;
}

static int folder_create_stream(struct making *m, struct place *p,
				struct made *made, int *stream)
{
	static char page[AGENT_HEADER];

	memcpy(page, m->orders, sizeof(*m->orders));
	*stream = folder_create_file(made, STREAM_FILE, STREAM, 0600, page,
				     sizeof(page));
	if (*stream < 0)
		return errno;
	snprintf(m->stream, sizeof(m->stream), "%s/%s/" STREAM,
		 strcmp(p->path, "/") == 0 ? "" : p->path, made->name);
	return 0;
}

static int folder_create_library(struct making *m, struct place *p,
				 struct made *made)
{
	size_t len;
	const void *bytes = agent_library_bytes(&len);
	int fd = folder_create_file(made, LIBRARY, agent_library_name(), 0500,
				    bytes, len);

	if (fd < 0)
		return errno;
	close(fd);
	snprintf(m->library, sizeof(m->library), "%s/%s/%s",
		 strcmp(p->path, "/") == 0 ? "" : p->path, made->name,
		 agent_library_name());
	return 0;
}

/* Makes the wanted there; false and p->wrong, with nothing left. */
static bool folder_make_in(struct making *m, struct place *p, int wanted,
			   struct made *made, int *stream)
{
	int sys = folder_make_directory(m, p, made);

	if (!sys && wanted & LIBRARY)
		sys = folder_create_library(m, p, made);
	if (!sys && wanted & STREAM_FILE)
		sys = folder_create_stream(m, p, made, stream);
	if (!sys)
		return true;
	folder_remove_made(made);
	folder_fail(p, sys);
	p->fit = 0;
	return false;
}

/* The first place that all of wanted can be made in. */
static bool folder_make_somewhere(struct making *m, int wanted,
				  struct made *made, int *stream)
{
	for (int i = 0; i < PLACES; i++)
		if ((m->places[i].fit & wanted) == wanted &&
		    folder_make_in(m, &m->places[i], wanted, made, stream))
			return true;
	return false;
}

/* What our limits are to blame for, no mount will mend. */
static const char *remedy_of(const struct making *m)
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

static int no_place(const struct making *m, struct error *err)
{
	struct text why = { 0 };
	int ret;

	for (int i = 0; i < PLACES; i++)
		text_printf(&why, "%s%s: %s", i ? "; " : "", m->places[i].path,
			    *m->places[i].wrong ? m->places[i].wrong
						: "not accessible to both");
	ret = fail(err, ERROR_REFUSED,
		   "%d: the JVM can load the agent from no directory (%s); "
		   "%s",
		   (int)m->jvm->pid, why.bytes, remedy_of(m));
	text_release(&why);
	return ret;
}

/* Together if that can be, else each where it can be. */
static int folder_make(struct making *m, int *stream, struct error *err)
{
	for (int i = 0; i < PLACES; i++)
		look_at_place(&m->places[i], m->wanted);
	if (folder_make_somewhere(m, m->wanted, &m->made[0], stream))
		return 0;
	if (m->wanted == (LIBRARY | STREAM_FILE) &&
	    folder_make_somewhere(m, LIBRARY, &m->made[0], stream) &&
	    folder_make_somewhere(m, STREAM_FILE, &m->made[1], stream))
		return 0;
	return no_place(m, err);
}

static int folder_job(void *self, int channel, struct error *err)
{
	struct making *m = self;
	int stream = -1, ret;
	char what;

	alarm(0); /* what it has made comes first; it has a deadline */
	umask(0);
	folder_open_places(m);
	if (helper_process_become(m->jvm, err))
		return -1;
	folder_making = m;
	ret = folder_make(m, &stream, err);
	if (ret == 0) {
		ret = child_tell(channel, READY, stream);
		/* Or the lock on it would outlive the parent. */
		close(stream);
		if (ret == 0)
			child_hear(channel, m->deadline_ns, &what);
	}
	folder_remove_all(m);
	return ret ? -1 : CHILD_NOTHING;
}

static struct making *new_making(void)
{
	struct making *m = child_memory(sizeof(*m));

	for (int i = 0; i < 2; i++)
		m->made[i].fd = -1;
	return m;
}

int agent_folder_make(struct agent_folder *f, const struct jvm *jvm,
		      const struct agent_orders *orders, bool with_library,
		      int64_t deadline_ns, struct error *err)
{
	struct making *m = new_making();
	enum child_news news = CHILD_FAILED;

	*f = (struct agent_folder){ .stream = -1 };
	m->jvm = jvm;
	m->orders = orders;
	m->deadline_ns = deadline_ns + CLOCK_NS_PER_S;
	m->wanted = STREAM_FILE | (with_library ? LIBRARY : 0);
	agent_library_name();
	if (helper_process_start(&f->child, jvm, folder_job, m, err) == 0) {
		folder_channel = f->child.channel;
		news = helper_process_wait(&f->child, deadline_ns + LATE_NS,
					   &f->stream, err);
	}
	if (news == CHILD_TOLD && f->stream >= 0) {
		memcpy(f->library, m->library, sizeof(f->library));
		memcpy(f->stream_path, m->stream, sizeof(f->stream_path));
		f->library[AGENT_PATHS - 1] = '\0';
		f->stream_path[AGENT_PATHS - 1] = '\0';
	} else {
		if (news == CHILD_DONE || news == CHILD_TOLD)
			fail(err, ERROR_FAILED, "no file was received");
		agent_folder_remove(f);
	}
	child_memory_free(m, sizeof(*m));
	return f->stream >= 0 ? 0 : -1;
}

void agent_folder_remove(struct agent_folder *f)
{
	struct error unused;
	int fd = -1;

	if (!f->child.pid)
		return;
	child_tell(f->child.channel, DONE, -1);
	helper_process_wait(&f->child, clock_monotonic_ns() + CLOCK_NS_PER_S,
			    &fd, &unused);
	if (fd >= 0)
		close(fd);
	folder_channel = -1;
	helper_process_end(&f->child);
}
