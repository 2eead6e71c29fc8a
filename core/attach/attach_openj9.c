/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach_openj9.h"

#include "core/attach/helper_process.h"
#include "core/base/clock.h"
#include "core/jvm/procfs.h"
#include "core/jvm/properties.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/random.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX       "openj9_diagnostics."
#define FOLDER       "/tmp/.com_ibm_tools_attach"
#define NOTIFIER_ID  0xa1 /* of ftok(3), for FOLDER/_notifier */
#define MOST_JVMS    256
#define NAP_NS       (10 * CLOCK_NS_PER_MS)
#define GREETING_LEN 35 /* "ATTACH_CONNECTED 0123456789abcdef " and NUL */

/* State of the child that wakes a JVM. */
struct waking {
	const struct jvm *jvm;
	int64_t deadline_ns;
	int common,
		own; /* the directories of all JVMs and of this JVM; O_PATH */
	int lock;    /* _attachlock */
	int listeners[2];
	int port;
	uint64_t key;
	int held[MOST_JVMS]; /* attachNotificationSync files of other JVMs,
				locked */
	int held_count;
	int semaphore;
	int posted;
};

static int wake_fail(const struct jvm *jvm, const char *what, struct error *err)
{
	return fail_sys(err, ERROR_REFUSED, "%d: OpenJ9's %s", (int)jvm->pid,
			what);
}

/* Opens the JVM's directory, which no other user may write to. */
static int directory_open_own(const struct jvm *jvm, int common,
			      struct error *err)
{
	char name[16];
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), "%d", (int)jvm->ns_pid);
	fd = openat(common, name,
		    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fail(err, ERROR_REFUSED,
			    "%d: OpenJ9's attach API is disabled: there is no "
			    "%s/%s; restart the JVM with "
			    "-Dcom.ibm.tools.attach.enable=yes",
			    (int)jvm->pid, FOLDER, name);
	if (fstat(fd, &st) == 0 && st.st_uid == jvm->uid &&
	    !(st.st_mode & (S_IWGRP | S_IWOTH)) &&
	    faccessat(fd, "attachInfo", F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return fd;
	close(fd);
	return fail(err, ERROR_REFUSED,
		    "%d: cannot trust %s/%s: it belongs to another user, or "
		    "has no attachInfo",
		    (int)jvm->pid, FOLDER, name);
}

bool openj9_is_enabled(const struct jvm *jvm, struct error *err)
{
	int common = jvm_open_file(jvm, FOLDER, O_PATH | O_DIRECTORY, err);
	int own;

	if (common < 0)
		return false;
	own = directory_open_own(jvm, common, err);
	close(common);
	if (own >= 0)
		close(own);
	return own >= 0;
}

/* The JVM connects in its network namespace and waits in its IPC namespace. */
static int namespace_enter(const struct jvm *jvm, const char *name, int type,
			   struct error *err)
{
	char target_path[64], own_path[64];
	struct stat a, b;
	int fd, ret;

	snprintf(target_path, sizeof(target_path), "/proc/%d/%s", (int)jvm->pid,
		 name);
	snprintf(own_path, sizeof(own_path), "/proc/self/%s", name);
	if (stat(target_path, &a) == 0 && stat(own_path, &b) == 0 &&
	    a.st_ino == b.st_ino)
		return 0;
	fd = open(target_path, O_RDONLY | O_CLOEXEC);
	ret = fd < 0 ? -1 : setns(fd, type);
	if (ret < 0)
		fail_sys(err, ERROR_PERMISSION,
			 "%d: cannot enter the JVM's %s namespace",
			 (int)jvm->pid, name + 3);
	if (fd >= 0)
		close(fd);
	return ret;
}

static int wake_listen_at(struct waking *w, int i,
			  const struct sockaddr *address, socklen_t len)
{
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && (bind(fd, address, len) < 0 || listen(fd, 4) < 0)) {
		close(fd);
		fd = -1;
	}
	w->listeners[i] = fd;
	return fd;
}

/* Listens on the loopback interface only, with IPv4 and IPv6 if both exist. */
static int wake_listen(struct waking *w, struct error *err)
{
	struct sockaddr_in v4 = {
		.sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) },
	};
	struct sockaddr_in6 v6 = {
		.sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
	};
	socklen_t len = sizeof(v4);

	if (wake_listen_at(w, 0, (struct sockaddr *)&v4, sizeof(v4)) < 0 ||
	    getsockname(w->listeners[0], (struct sockaddr *)&v4, &len) < 0)
		return fail_sys(err, ERROR_FAILED,
				"cannot listen on the loopback interface");
	w->port = ntohs(v4.sin_port);
	v6.sin6_port = v4.sin_port;
	wake_listen_at(w, 1, (struct sockaddr *)&v6, sizeof(v6));
	return 0;
}

static int wake_write_reply_info(struct waking *w, struct error *err)
{
	char text[64];
	int len, fd;
	bool whole;

	if (getrandom(&w->key, sizeof(w->key), 0) != sizeof(w->key))
		return fail_sys(err, ERROR_FAILED, "cannot get random bytes");
	len = snprintf(text, sizeof(text), "%016" PRIx64 "\n%d\n", w->key,
		       w->port);
	/* An existing file was left behind, since we hold the lock. */
	unlinkat(w->own, "replyInfo", 0);
	fd = openat(w->own, "replyInfo",
		    O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		return wake_fail(w->jvm, "replyInfo cannot be created", err);
	whole = write(fd, text, (size_t)len) == len;
	close(fd);
	return whole ? 0
		     : wake_fail(w->jvm, "replyInfo cannot be written", err);
}

static int wake_take_lock(struct waking *w, struct error *err)
{
	w->lock = openat(w->common, "_attachlock",
			 O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (w->lock < 0)
		return wake_fail(w->jvm, "_attachlock", err);
	while (flock(w->lock, LOCK_EX | LOCK_NB) < 0) {
		if (clock_left_ms(w->deadline_ns) == 0)
			return wake_fail(
				w->jvm,
				"attach lock is held by another process", err);
		clock_sleep_until(clock_monotonic_ns() + NAP_NS);
	}
	return 0;
}

/*
 * Locks the files of the other JVMs: a JVM that is woken waits for its file, so
 * that no JVM consumes two posts of the semaphore.
 */
static void wake_hold_others(struct waking *w)
{
	int fd = openat(w->common, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	char path[300];

	while (dir && w->held_count < MOST_JVMS && (entry = readdir(dir))) {
		if (strspn(entry->d_name, "0123456789") !=
		    strlen(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/attachNotificationSync",
			 entry->d_name);
		fd = openat(w->common, path,
			    O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
			w->held[w->held_count++] = fd;
		else if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
}

static int wake_post(struct waking *w, struct error *err)
{
	struct sembuf up = { .sem_op = 1 };
	char path[64];
	int fd = openat(w->common, "_notifier",
			O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int count = w->held_count ? w->held_count : 1;
	key_t key;

	if (fd < 0)
		return wake_fail(w->jvm, "_notifier", err);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	key = ftok(path, NOTIFIER_ID);
	close(fd);
	w->semaphore = key == -1 ? -1 : semget(key, 1, 0);
	if (w->semaphore < 0)
		return wake_fail(w->jvm, "semaphore", err);
	while (w->posted < count && semop(w->semaphore, &up, 1) == 0)
		w->posted++;
	return w->posted ? 0 : wake_fail(w->jvm, "semaphore", err);
}

/*
 * Reads the whole greeting before the deadline; any process may have connected.
 */
static bool wake_greets(const struct waking *w, int fd)
{
	char wanted[GREETING_LEN + 1], said[GREETING_LEN];
	size_t len = 0;

	snprintf(wanted, sizeof(wanted), "ATTACH_CONNECTED %016" PRIx64 " ",
		 w->key);
	while (len < sizeof(said)) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t got;

		if (poll(&p, 1, clock_left_ms(w->deadline_ns)) <= 0)
			return false;
		got = recv(fd, said + len, sizeof(said) - len, MSG_DONTWAIT);
		if (got <= 0)
			return false;
		len += (size_t)got;
	}
	return memcmp(said, wanted, sizeof(said)) == 0;
}

static int wake_accept(const struct waking *w, struct error *err)
{
	struct pollfd p[] = {
		{ .fd = w->listeners[0], .events = POLLIN },
		{ .fd = w->listeners[1], .events = POLLIN },
		{ .fd = w->jvm->pidfd, .events = POLLIN },
	};

	while (poll(p, 3, clock_left_ms(w->deadline_ns)) > 0) {
		int from = p[0].revents ? 0 : 1;
		int fd;

		if (p[2].revents)
			return jvm_fail_ended(w->jvm, err);
		fd = accept4(p[from].fd, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0 && wake_greets(w, fd))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return fail(err, ERROR_REFUSED,
		    "%d: OpenJ9 did not respond to its semaphore in time",
		    (int)w->jvm->pid);
}

static void wake_put_back(struct waking *w)
{
	struct sembuf down = { .sem_op = -1, .sem_flg = IPC_NOWAIT };

	while (w->held_count)
		close(w->held[--w->held_count]);
	while (w->posted-- > 0)
		semop(w->semaphore, &down, 1);
	if (w->key)
		unlinkat(w->own, "replyInfo", 0);
}

static int wake_job(void *self, int channel, struct error *err)
{
	struct waking *w = self;
	int fd = -1;

	(void)channel;
	w->common = jvm_open_file(w->jvm, FOLDER, O_PATH | O_DIRECTORY, err);
	if (w->common < 0)
		return -1;
	if (namespace_enter(w->jvm, "ns/net", CLONE_NEWNET, err) ||
	    namespace_enter(w->jvm, "ns/ipc", CLONE_NEWIPC, err) ||
	    helper_process_become(w->jvm, err))
		return -1;
	w->own = directory_open_own(w->jvm, w->common, err);
	if (w->own < 0 || wake_take_lock(w, err))
		return -1;
	/*
	 * The process exits after this, which closes the remaining descriptors.
	 */
	if (wake_listen(w, err) == 0 && wake_write_reply_info(w, err) == 0) {
		wake_hold_others(w);
		if (wake_post(w, err) == 0)
			fd = wake_accept(w, err);
	}
	wake_put_back(w);
	return fd;
}

int openj9_connect(const struct jvm *jvm, int64_t deadline_ns,
		   struct error *err)
{
	struct waking w = {
		.jvm = jvm,
		.deadline_ns = deadline_ns,
		.listeners = { -1, -1 },
	};
	struct child child;
	enum child_news news;
	int fd = -1;

	if (helper_process_start(&child, jvm, wake_job, &w, err))
		return -1;
	news = helper_process_wait(&child, deadline_ns + CLOCK_NS_PER_S, &fd,
				   err);
	helper_process_end(&child);
	return news == CHILD_DONE ? fd : -1;
}

/* ---- requests and replies ---- */

/* OpenJ9's equivalents of HotSpot's operations. */
static const struct {
	const char *operation, *begins, *parts, *ends;
} requests[] = {
	{ "jcmd", "ATTACH_DIAGNOSTICS:", ",", "" },
	{ "threaddump", "ATTACH_DIAGNOSTICS:Thread.print,", ",", "" },
	{ "inspectheap", "ATTACH_DIAGNOSTICS:GC.class_histogram,", ",", "" },
	{ "dumpheap", "ATTACH_DIAGNOSTICS:Dump.heap,", ",", "" },
	{ "properties", "ATTACH_GETSYSTEMPROPERTIES", "", "" },
	{ "agentProperties", "ATTACH_GETAGENTPROPERTIES", "", "" },
	{ "startLocalAgent", "ATTACH_START_LOCAL_MANAGEMENT_AGENT", "", "" },
	{ "load", "ATTACH_LOADAGENTPATH(", ",", ")" },
};

/* Appends the words of a command line, separated by commas. */
static void request_add_words(struct text *out, const char *line)
{
	char quote = '\0';

	for (; *line; line++) {
		if (*line == quote)
			quote = '\0';
		else if (!quote && (*line == '"' || *line == '\''))
			quote = *line;
		else
			text_putc(out, *line == ' ' && !quote ? ',' : *line);
	}
}

int openj9_encode(struct text *out, const char *operation,
		  const char *const args[4], struct error *err)
{
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
		if (strcmp(requests[i].operation, operation) != 0)
			continue;
		text_puts(out, requests[i].begins);
		for (size_t a = 0; a < 4 && args[a]; a++) {
			if (a)
				text_puts(out, requests[i].parts);
			request_add_words(out, args[a]);
		}
		text_puts(out, requests[i].ends);
		text_putc(out, '\0');
		return 0;
	}
	return fail(err, ERROR_UNAVAILABLE, "OpenJ9 has no operation '%s'",
		    operation);
}

static int reply_refuse(const char *words, size_t len, struct error *err)
{
	return fail(err, ERROR_REFUSED, "%.*s", len < 300 ? (int)len : 300,
		    words);
}

/* Properties in the reply to a diagnostic command. */
struct outcome {
	bool has_result, is_error;
	struct text result, message;
};

static void outcome_set(struct text *t, const struct text *value)
{
	text_clear(t);
	text_add(t, value->bytes ? value->bytes : "", value->len);
}

static void outcome_read(struct outcome *o, const char *reply, size_t len)
{
	struct properties p;

	properties_init(&p, reply, len);
	while (properties_next(&p)) {
		const char *key = p.key.bytes ? p.key.bytes : "";

		if (strcmp(key, PREFIX "string_result") == 0) {
			o->has_result = true;
			outcome_set(&o->result, &p.value);
		} else if (strcmp(key, PREFIX "error") == 0) {
			o->is_error = p.value.bytes &&
				      strcmp(p.value.bytes, "true") == 0;
		} else if (strcmp(key, PREFIX "errormsg") == 0) {
			outcome_set(&o->message, &p.value);
		}
	}
	properties_release(&p);
}

static bool reply_begins(const char *reply, size_t len, const char *with)
{
	return len >= strlen(with) && memcmp(reply, with, strlen(with)) == 0;
}

int openj9_decode(const char *reply, size_t len, struct text *out,
		  struct error *err)
{
	static const char result[] = "ATTACH_RESULT=";
	struct outcome o = { 0 };
	int ret = 0;

	if (reply_begins(reply, len, result)) {
		text_add(out, reply + strlen(result), len - strlen(result));
		return 0;
	}
	if (reply_begins(reply, len, "ATTACH_ERR"))
		return reply_refuse(reply, len, err);
	if (reply_begins(reply, len, "ATTACH_ACK"))
		return 0;
	outcome_read(&o, reply, len);
	if (o.is_error)
		ret = reply_refuse(o.message.len ? o.message.bytes
						 : "no reason given",
				   o.message.len ? o.message.len : 15, err);
	else if (o.has_result)
		text_add(out, o.result.bytes ? o.result.bytes : "",
			 o.result.len);
	else
		text_add(out, reply, len);
	text_release(&o.result);
	text_release(&o.message);
	return ret;
}
