/* SPDX-License-Identifier: Apache-2.0 */
#include "core/process/wait_peer.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/base/map64.h"
#include "core/jvm/procfs.h"
#include "core/process/memory.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

const char *const wait_object_names[WAIT_OBJECTS] = {
	[WAIT_ON_OTHER] = "other",     [WAIT_ON_FILE] = "file",
	[WAIT_ON_PIPE] = "pipe",       [WAIT_ON_TCP] = "tcp",
	[WAIT_ON_UDP] = "udp",         [WAIT_ON_UNIX] = "unix",
	[WAIT_ON_SOCKET] = "socket",   [WAIT_ON_EVENTFD] = "eventfd",
	[WAIT_ON_INOTIFY] = "inotify", [WAIT_ON_EPOLL] = "epoll",
};

const char *const wait_direction_names[WAIT_DIRECTIONS] = {
	[WAIT_INBOUND] = "inbound",
	[WAIT_OUTBOUND] = "outbound",
};

#define WAIT_MOST_NS CLOCK_NS_PER_S

enum {
	WATCHED_MOST = 16,    /* descriptors of poll that are examined */
	POLLED_MOST = 64,     /* entries of poll that are read */
	SELECTED_MOST = 1024, /* FD_SETSIZE */
	PATH_BYTES_MOST = 2 << 20,
	LISTENERS_MOST = 1 << 17,
	LINES_BYTES = 64 << 10,
	CALL_ARGS = 6,
	UNIX_LISTENS = 0x10000, /* __SO_ACCEPTCON of the kernel */
	UNIX_CONNECTED = 3,     /* SS_CONNECTED */
};

/* How a system call names its descriptors. */
enum wait_how {
	HOW_FD,      /* the first argument */
	HOW_CONNECT, /* the same; an address follows */
	HOW_POLL,
	HOW_SELECT
};

struct wait_call {
	long number;
	const char *name;
	enum wait_action action;
	enum wait_how how;
};

/* A line of /proc/PID/task/TID/syscall, and its numbers. */
struct wait_line {
	char text[256];
	const struct wait_call *call;
	uint64_t args[CALL_ARGS];
};

/* The descriptors that a system call watches. */
struct wait_set {
	struct pollfd fds[POLLED_MOST];
	size_t count;
	uint64_t total;
};

/* The inodes of the sockets of a thread; 0 = another file. */
struct wait_inodes {
	uint64_t inodes[WATCHED_MOST];
	size_t count;
};

/* A socket that the tables of the network namespace describe. */
struct wait_socket {
	enum wait_object object; /* WAIT_ON_SOCKET: not found yet */
	struct net_socket net;
	enum wait_direction direction;
	bool listens;
	uint32_t path;
};

struct wait_reader {
	struct wait_peers *w;
	const struct jvm *jvm;
	int64_t until_ns;
	int fds; /* /proc/PID/fd */
	struct remote_memory *remote;
	bool has_tried_memory;
	struct wait_inodes *inodes; /* of each thread */
	size_t path_bytes;

	struct map64 wanted; /* sockets by inode */
	struct wait_socket *sockets;
	size_t count, cap, left;             /* left: not found yet */
	struct map64 listeners;              /* ports by inode */
	uint8_t listens[UINT16_MAX / 8 + 1]; /* by port: a bit */
	struct map64 epolls;                 /* threads by descriptor */
	bool has_epoll;
};

static const struct wait_call wait_calls[];
static const size_t wait_call_count;

static bool wait_is_late(struct wait_reader *r)
{
	return clock_monotonic_ns() > r->until_ns;
}

static uint32_t wait_add_path(struct wait_reader *r, const char *path,
			      size_t len)
{
	if (!len)
		return 0;
	if (r->path_bytes + len > PATH_BYTES_MOST) {
		r->w->is_cut = true;
		return intern_find(&r->w->paths, path, len);
	}
	if (!intern_find(&r->w->paths, path, len))
		r->path_bytes += len;
	return intern_id(&r->w->paths, path, len);
}

/* ---- system calls ---- */

/*
 * "0 0x5 0x7f8f07c24000 0x20000 0x0 0x0 0x0 0x7ffe50592428 0x7f8f07d9f2ad": the
 * number, six arguments, stack pointer and program counter; "running", or "-1"
 * and two addresses outside of a system call. Sets call to NULL if the thread
 * has no peer.
 */
static void wait_parse_line(struct wait_line *l)
{
	struct line rest = { l->text, strcspn(l->text, "\n") };
	uint64_t number, values[CALL_ARGS + 2];

	l->call = NULL;
	if (!net_number_parse(line_cut(&rest, ' '), 10, &number))
		return;
	for (size_t i = 0; i < CALL_ARGS + 2; i++) {
		struct line word = line_cut(&rest, ' ');

		if (!line_starts(word, "0x"))
			return;
		word.text += 2;
		word.len -= 2;
		if (!net_number_parse(word, 16, &values[i]))
			return;
	}
	memcpy(l->args, values, sizeof(l->args));
	/* The numbers of a 32-bit process are others. */
	if (values[CALL_ARGS] <= UINT32_MAX &&
	    values[CALL_ARGS + 1] <= UINT32_MAX)
		return;
	for (size_t i = 0; i < wait_call_count; i++)
		if ((uint64_t)wait_calls[i].number == number)
			l->call = &wait_calls[i];
}

/* Returns -1 and *err if the file cannot be read. */
static int wait_read_line(const struct wait_reader *r, pid_t tid,
			  struct wait_line *l, struct error *err)
{
	char name[48];
	ssize_t got;
	int fd;

	snprintf(name, sizeof(name), "task/%d/syscall", (int)tid);
	fd = procfs_open(r->jvm->pid, name, O_RDONLY, err);
	if (fd < 0)
		return -1;
	got = procfs_part(r->jvm->pid, name, fd, l->text, sizeof(l->text) - 1,
			  err);
	close(fd);
	if (got < 0)
		return -1;
	l->text[got] = '\0';
	wait_parse_line(l);
	return 0;
}

/* ---- memory ---- */

static bool wait_read_memory(struct wait_reader *r, uint64_t address,
			     void *bytes, size_t len)
{
	if (!r->has_tried_memory) {
		r->has_tried_memory = true;
		r->remote = remote_memory_open(r->jvm, NULL, error_unused());
	}
	return r->remote && !wait_is_late(r) &&
	       memory_read(remote_memory_of(r->remote), address, bytes, len);
}

static void wait_read_poll(struct wait_reader *r, const uint64_t *args,
			   struct wait_set *set)
{
	struct pollfd fds[POLLED_MOST];
	size_t count = args[1] < POLLED_MOST ? args[1] : POLLED_MOST;

	set->count = 0;
	set->total = args[1];
	if (!count || !wait_read_memory(r, args[0], fds, count * sizeof(*fds)))
		return;
	for (size_t i = 0; i < count; i++) {
		if (fds[i].fd >= 0)
			set->fds[set->count++] = fds[i];
		else
			set->total--;
	}
}

/* Adds the descriptors of one of the three sets. */
static void wait_add_selected(struct wait_reader *r, uint64_t address,
			      size_t count, short event, struct wait_set *set)
{
	uint64_t words[SELECTED_MOST / 64] = { 0 };

	if (count > SELECTED_MOST)
		count = SELECTED_MOST;
	if (!address || !wait_read_memory(r, address, words,
					  (count + 63) / 64 * sizeof(*words)))
		return;
	for (size_t fd = 0; fd < count; fd++) {
		size_t at = 0;

		if (!(words[fd / 64] >> fd % 64 & 1))
			continue;
		while (at < set->count && set->fds[at].fd != (int)fd)
			at++;
		if (at < set->count) {
			set->fds[at].events |= event;
			continue;
		}
		set->total++;
		if (set->count < POLLED_MOST)
			set->fds[set->count++] = (struct pollfd){
				.fd = (int)fd, .events = event
			};
	}
}

/* Sets the path of a Unix socket that the thread connects to. */
static void wait_read_address(struct wait_reader *r, struct wait_peer *p,
			      const uint64_t *args)
{
	const size_t head = offsetof(struct sockaddr_un, sun_path);
	struct sockaddr_un to = { 0 };
	size_t len = args[2] < sizeof(to) ? args[2] : sizeof(to);

	if (len <= head || !wait_read_memory(r, args[1], &to, len) ||
	    to.sun_family != AF_UNIX)
		return;
	/* The NUL of an abstract address is printed as by /proc/net/unix. */
	if (to.sun_path[0] == '\0')
		to.sun_path[0] = '@';
	p->path = wait_add_path(r, to.sun_path,
				strnlen(to.sun_path, len - head));
}

/* ---- descriptors ---- */

/* Returns the inode of a socket, or 0. */
static uint64_t wait_parse_link(struct wait_reader *r, struct line link,
				struct wait_peer *p)
{
	uint64_t inode;

	p->object = WAIT_ON_SOCKET;
	if (net_link_parse(link.text, link.len, "socket:", &inode))
		return inode;
	if (net_link_parse(link.text, link.len, "pipe:", &inode))
		p->object = WAIT_ON_PIPE;
	else if (line_is(link, "anon_inode:[eventfd]"))
		p->object = WAIT_ON_EVENTFD;
	else if (line_is(link, "anon_inode:inotify"))
		p->object = WAIT_ON_INOTIFY;
	else if (line_is(link, "anon_inode:[eventpoll]"))
		p->object = WAIT_ON_EPOLL;
	else
		p->object = line_starts(link, "/") ? WAIT_ON_FILE
						   : WAIT_ON_OTHER;
	if (p->object == WAIT_ON_FILE || p->object == WAIT_ON_OTHER)
		p->path = wait_add_path(r, link.text, link.len);
	return 0;
}

/* Describes a descriptor in *p; false if there is none of this number. */
static bool wait_read_fd(struct wait_reader *r, int fd, struct wait_peer *p,
			 struct wait_inodes *of)
{
	char name[16], link[4096];
	ssize_t len;

	snprintf(name, sizeof(name), "%d", fd);
	len = readlinkat(r->fds, name, link, sizeof(link));
	if (len <= 0)
		return false;
	p->fd = fd;
	of->inodes[of->count++] = wait_parse_link(
		r, (struct line){ link, (size_t)len }, p);
	return true;
}

static bool wait_read_set(struct wait_reader *r, const struct wait_set *set,
			  struct wait_peer *p, struct wait_inodes *of)
{
	struct wait_peer rest = { 0 };
	short events = set->count ? set->fds[0].events : 0;

	p->watched = set->total < UINT32_MAX ? (uint32_t)set->total
					     : UINT32_MAX;
	if (set->count && !wait_read_fd(r, set->fds[0].fd, p, of))
		return false;
	for (size_t i = 1; i < set->count && i < WATCHED_MOST; i++)
		wait_read_fd(r, set->fds[i].fd, &rest, of);
	if (p->watched == 1 && events & (POLLIN | POLLPRI))
		p->action = WAIT_READS;
	else if (p->watched == 1 && events & POLLOUT)
		p->action = WAIT_WRITES;
	return true;
}

/* Describes a system call in *p; false if it has no peer. */
static bool wait_read_peer(struct wait_reader *r, const struct wait_line *l,
			   struct wait_peer *p, struct wait_inodes *of)
{
	static const short selected[] = { POLLIN, POLLOUT, POLLPRI };
	struct wait_set set = { .total = 0 };
	bool has_fd;

	of->count = 0;
	*p = (struct wait_peer){
		.tid = p->tid,
		.action = l->call->action,
		.call = l->call->name,
		.fd = -1,
	};
	if (l->call->how == HOW_POLL) {
		wait_read_poll(r, l->args, &set);
	} else if (l->call->how == HOW_SELECT) {
		for (int i = 0; i < 3; i++)
			wait_add_selected(r, l->args[1 + i], l->args[0],
					  selected[i], &set);
	} else {
		has_fd = wait_read_fd(r, (int)l->args[0], p, of);
		if (has_fd && l->call->how == HOW_CONNECT)
			wait_read_address(r, p, l->args);
		return has_fd;
	}
	/* Without a descriptor, the call waits only for a time. */
	return set.total && wait_read_set(r, &set, p, of);
}

/* Forgets what was found about a thread. */
static void wait_drop(struct wait_reader *r, size_t i)
{
	r->w->list[i] = (struct wait_peer){ .tid = r->w->list[i].tid,
					    .fd = -1 };
	r->inodes[i].count = 0;
}

/*
 * Between the system call and its descriptor, both may change, so the system
 * call is read again: twice the same line, or the thread has no peer.
 */
static int wait_examine(struct wait_reader *r, size_t i, struct error *err)
{
	struct wait_peer *p = &r->w->list[i];
	struct wait_line line, again;

	if (wait_read_line(r, p->tid, &line, err))
		return -1;
	for (int tries = 0; line.call && tries < 3; tries++) {
		bool has_peer = wait_read_peer(r, &line, p, &r->inodes[i]);

		if (wait_read_line(r, p->tid, &again, err))
			break;
		if (has_peer && strcmp(line.text, again.text) == 0)
			return 0;
		line = again;
	}
	wait_drop(r, i);
	return 0;
}

/* ---- sockets ---- */

typedef bool wait_line_fn(struct wait_reader *r, struct line line, void *arg);

/*
 * Calls fn with each whole line of /proc/PID/<name> until it returns false. A
 * file may be of any length, and the kernel takes time to print it.
 */
static void wait_read_lines(struct wait_reader *r, const char *name,
			    wait_line_fn *fn, void *arg)
{
	int fd = procfs_open(r->jvm->pid, name, O_RDONLY, error_unused());
	char *bytes = xmalloc(LINES_BYTES);
	size_t len = 0, whole;
	bool goes_on = fd >= 0;

	while (goes_on) {
		ssize_t got = procfs_part(r->jvm->pid, name, fd, bytes + len,
					  LINES_BYTES - len, error_unused());
		struct lines lines;
		struct line line;
		const char *end;

		if (got <= 0)
			break;
		len += (size_t)got;
		end = memrchr(bytes, '\n', len);
		/* A line without an end is none of the kernel's. */
		if (!end && len == LINES_BYTES)
			break;
		whole = end ? (size_t)(end + 1 - bytes) : 0;
		lines = lines_over(bytes, whole);
		while (goes_on && lines_next(&lines, &line))
			goes_on = fn(r, line, arg);
		memmove(bytes, bytes + whole, len - whole);
		len -= whole;
		if (goes_on && wait_is_late(r)) {
			r->w->is_cut = true;
			break;
		}
	}
	free(bytes);
	if (fd >= 0)
		close(fd);
}

static struct wait_socket *wait_find_socket(const struct wait_reader *r,
					    uint64_t inode)
{
	uint32_t at = inode ? map64_get(&r->wanted, inode) : MAP64_NONE;

	return at == MAP64_NONE ? NULL : &r->sockets[at];
}

static void wait_add_listener(struct wait_reader *r, const struct net_socket *s)
{
	uint16_t port = net_end_port(&s->local);

	r->listens[port / 8] |= (uint8_t)(1 << port % 8);
	if (r->listeners.count < LISTENERS_MOST)
		map64_add(&r->listeners, s->inode, port);
	else
		r->w->is_cut = true;
}

/* A line of the table of a protocol. */
static bool wait_take_net(struct wait_reader *r, struct line line, void *arg)
{
	const enum wait_object *object = arg;
	struct wait_socket *found;
	struct net_socket s;

	if (!net_table_parse(line, &s))
		return true;
	if (*object == WAIT_ON_TCP && s.state == NET_LISTEN)
		wait_add_listener(r, &s);
	else if (!r->left)
		return false; /* the kernel prints listening sockets first */
	found = wait_find_socket(r, s.inode);
	if (!found || found->object != WAIT_ON_SOCKET)
		return true;
	found->object = *object;
	found->net = s;
	found->listens = *object == WAIT_ON_TCP && s.state == NET_LISTEN;
	r->left--;
	return true;
}

/*
 * "00000000f447e631: 00000003 00000000 00010000 0001 01  1657 /run/x": slot,
 * references, protocol, flags, type, state, inode, path. The path may have a
 * newline and thus any line, so a socket with two lines has no path.
 */
static bool wait_take_unix(struct wait_reader *r, struct line line, void *arg)
{
	struct wait_socket *found;
	struct line words[7];
	uint64_t flags, state, inode;

	(void)arg;
	for (size_t i = 0; i < 7; i++) {
		line = line_trimmed(line);
		words[i] = line_cut(&line, ' ');
	}
	if (!net_number_parse(words[3], 16, &flags) ||
	    !net_number_parse(words[5], 16, &state) ||
	    !net_number_parse(words[6], 10, &inode))
		return true;
	found = wait_find_socket(r, inode);
	if (!found ||
	    (found->object != WAIT_ON_SOCKET && found->object != WAIT_ON_UNIX))
		return true;
	if (found->object == WAIT_ON_UNIX) {
		found->path = 0;
		found->direction = WAIT_UNDIRECTED;
		return true;
	}
	found->object = WAIT_ON_UNIX;
	found->listens = flags & UNIX_LISTENS;
	found->path = wait_add_path(r, line.text, line.len);
	/* accept(2) gives a socket the address of its listener. */
	if (found->path && !found->listens && state == UNIX_CONNECTED)
		found->direction = WAIT_INBOUND;
	return true;
}

static void wait_want_sockets(struct wait_reader *r)
{
	for (size_t i = 0; i < r->w->count; i++) {
		const struct wait_inodes *of = &r->inodes[i];

		r->has_epoll |= r->w->list[i].object == WAIT_ON_EPOLL;
		for (size_t j = 0; j < of->count; j++) {
			if (!of->inodes[j] ||
			    !map64_add(&r->wanted, of->inodes[j],
				       (uint32_t)r->count))
				continue;
			array_add(r->sockets, r->count, r->cap,
				  (struct wait_socket){
					  .object = WAIT_ON_SOCKET });
		}
	}
	r->left = r->count;
}

static void wait_read_sockets(struct wait_reader *r)
{
	static const char *const tables[] = { "net/tcp", "net/tcp6", "net/udp",
					      "net/udp6" };

	wait_want_sockets(r);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		enum wait_object object = i < 2 ? WAIT_ON_TCP : WAIT_ON_UDP;

		if (r->left ||
		    (object == WAIT_ON_TCP && (r->has_epoll || r->count)))
			wait_read_lines(r, tables[i], wait_take_net, &object);
	}
	if (r->left)
		wait_read_lines(r, "net/unix", wait_take_unix, NULL);
}

/* ---- results ---- */

/* "tfd:        4 events:       19 data:  4  pos:0 ino:aef14 sdev:9" */
static bool wait_take_watched(struct wait_reader *r, struct line line,
			      void *arg)
{
	struct wait_peer *p = arg;
	uint64_t inode;
	uint32_t port;

	if (!line_starts(line, "tfd:"))
		return true;
	p->watched++;
	while (line.len && !line_starts(line, "ino:"))
		line_cut(&line, ' ');
	line_cut(&line, ':');
	if (p->port || !net_number_parse(line_cut(&line, ' '), 16, &inode))
		return true;
	port = map64_get(&r->listeners, inode);
	if (port != MAP64_NONE)
		p->port = (uint16_t)port;
	return true;
}

/* Several threads may wait for the same descriptor. */
static void wait_read_epoll(struct wait_reader *r, size_t i)
{
	struct wait_peer *p = &r->w->list[i];
	const struct wait_peer *same;
	char name[32];

	if (!map64_add(&r->epolls, (uint64_t)p->fd, (uint32_t)i)) {
		same = &r->w->list[map64_get(&r->epolls, (uint64_t)p->fd)];
		p->watched = same->watched;
		p->port = same->port;
		return;
	}
	if (wait_is_late(r)) {
		r->w->is_cut = true;
		return;
	}
	snprintf(name, sizeof(name), "fdinfo/%d", p->fd);
	wait_read_lines(r, name, wait_take_watched, p);
}

static void wait_set_socket(const struct wait_reader *r, struct wait_peer *p,
			    const struct wait_socket *s)
{
	uint16_t port = net_end_port(&s->net.local);

	p->object = s->object;
	p->local = s->net.local;
	p->direction = s->direction;
	if (!p->path)
		p->path = s->path;
	if (s->listens && p->action == WAIT_READS)
		p->action = WAIT_ACCEPTS;
	if (s->listens)
		return;
	if (net_end_port(&s->net.remote))
		p->remote = s->net.remote;
	if (s->object != WAIT_ON_TCP)
		return;
	if (s->net.state == NET_SYN_SENT && p->action == WAIT_WRITES)
		p->action = WAIT_CONNECTS;
	/* Without all listeners, an inbound connection looks outbound. */
	if (r->listens[port / 8] >> port % 8 & 1)
		p->direction = WAIT_INBOUND;
	else if (!r->w->is_cut)
		p->direction = WAIT_OUTBOUND;
}

static void wait_finish(struct wait_reader *r, size_t i)
{
	struct wait_peer *p = &r->w->list[i];
	const struct wait_inodes *of = &r->inodes[i];

	if (p->action == WAIT_WATCHES && p->object == WAIT_ON_EPOLL &&
	    !p->watched)
		wait_read_epoll(r, i);
	for (size_t j = 0; j < of->count; j++) {
		const struct wait_socket *s = wait_find_socket(r,
							       of->inodes[j]);

		if (s && !j)
			wait_set_socket(r, p, s);
		if (s && s->listens && p->watched && !p->port)
			p->port = net_end_port(&s->net.local);
	}
}

static int wait_read_all(struct wait_reader *r, struct error *err)
{
	struct wait_peers *w = r->w;
	struct error one;
	size_t i;

	r->fds = procfs_open(r->jvm->pid, "fd", O_RDONLY | O_DIRECTORY, err);
	if (r->fds < 0)
		return -1;
	for (i = 0; i < w->count && !wait_is_late(r); i++) {
		if (wait_examine(r, i, &one) == 0)
			continue;
		if (one.kind == ERROR_PERMISSION) {
			*err = one;
			return -1;
		}
		/* The thread has ended. */
		wait_drop(r, i);
	}
	w->unread += w->count - i;
	wait_read_sockets(r);
	for (i = 0; i < w->count; i++)
		wait_finish(r, i);
	return 0;
}

int wait_peers_read(struct wait_peers *w, const struct jvm *jvm,
		    const pid_t *tids, size_t count, struct error *err)
{
	struct wait_reader *r;
	int ret;

	*w = (struct wait_peers){ 0 };
	if (!count)
		return 0;
	if (access("/proc/self/syscall", F_OK))
		return fail(err, ERROR_UNAVAILABLE,
			    "this kernel has no /proc/PID/syscall");
	w->count = count < WAIT_PEERS_MAX ? count : WAIT_PEERS_MAX;
	w->unread = count - w->count;
	w->list = xcalloc(w->count, sizeof(*w->list));
	for (size_t i = 0; i < w->count; i++)
		w->list[i] = (struct wait_peer){ .tid = tids[i], .fd = -1 };
	r = xcalloc(1, sizeof(*r));
	r->w = w;
	r->jvm = jvm;
	r->until_ns = clock_monotonic_ns() + WAIT_MOST_NS;
	r->inodes = xcalloc(w->count, sizeof(*r->inodes));
	ret = wait_read_all(r, err);
	if (ret == 0 && !jvm_runs(jvm))
		ret = jvm_fail_ended(jvm, err);
	remote_memory_close(r->remote);
	map64_release(&r->wanted);
	map64_release(&r->listeners);
	map64_release(&r->epolls);
	if (r->fds >= 0)
		close(r->fds);
	free(r->sockets);
	free(r->inodes);
	free(r);
	return ret;
}

void wait_peers_release(struct wait_peers *w)
{
	free(w->list);
	intern_release(&w->paths);
	*w = (struct wait_peers){ 0 };
}

/* clang-format off */
static const struct wait_call wait_calls[] = {
	{ SYS_read, "read", WAIT_READS, HOW_FD },
	{ SYS_readv, "readv", WAIT_READS, HOW_FD },
	{ SYS_pread64, "pread64", WAIT_READS, HOW_FD },
	{ SYS_preadv, "preadv", WAIT_READS, HOW_FD },
	{ SYS_recvfrom, "recvfrom", WAIT_READS, HOW_FD },
	{ SYS_recvmsg, "recvmsg", WAIT_READS, HOW_FD },
	{ SYS_recvmmsg, "recvmmsg", WAIT_READS, HOW_FD },
	{ SYS_write, "write", WAIT_WRITES, HOW_FD },
	{ SYS_writev, "writev", WAIT_WRITES, HOW_FD },
	{ SYS_pwrite64, "pwrite64", WAIT_WRITES, HOW_FD },
	{ SYS_pwritev, "pwritev", WAIT_WRITES, HOW_FD },
	{ SYS_sendto, "sendto", WAIT_WRITES, HOW_FD },
	{ SYS_sendmsg, "sendmsg", WAIT_WRITES, HOW_FD },
	{ SYS_sendmmsg, "sendmmsg", WAIT_WRITES, HOW_FD },
	{ SYS_sendfile, "sendfile", WAIT_WRITES, HOW_FD },
	{ SYS_connect, "connect", WAIT_CONNECTS, HOW_CONNECT },
	{ SYS_accept, "accept", WAIT_ACCEPTS, HOW_FD },
	{ SYS_accept4, "accept4", WAIT_ACCEPTS, HOW_FD },
#ifdef SYS_poll
	{ SYS_poll, "poll", WAIT_WATCHES, HOW_POLL },
#endif
	{ SYS_ppoll, "ppoll", WAIT_WATCHES, HOW_POLL },
#ifdef SYS_select
	{ SYS_select, "select", WAIT_WATCHES, HOW_SELECT },
#endif
	{ SYS_pselect6, "pselect6", WAIT_WATCHES, HOW_SELECT },
#ifdef SYS_epoll_wait
	{ SYS_epoll_wait, "epoll_wait", WAIT_WATCHES, HOW_FD },
#endif
	{ SYS_epoll_pwait, "epoll_pwait", WAIT_WATCHES, HOW_FD },
#ifdef SYS_epoll_pwait2
	{ SYS_epoll_pwait2, "epoll_pwait2", WAIT_WATCHES, HOW_FD },
#endif
	{ SYS_fsync, "fsync", WAIT_CALLS, HOW_FD },
	{ SYS_fdatasync, "fdatasync", WAIT_CALLS, HOW_FD },
	{ SYS_ftruncate, "ftruncate", WAIT_CALLS, HOW_FD },
	{ SYS_fallocate, "fallocate", WAIT_CALLS, HOW_FD },
	{ SYS_flock, "flock", WAIT_CALLS, HOW_FD },
	{ SYS_fcntl, "fcntl", WAIT_CALLS, HOW_FD },
	{ SYS_fstat, "fstat", WAIT_CALLS, HOW_FD },
	{ SYS_getdents64, "getdents64", WAIT_CALLS, HOW_FD },
};
/* clang-format on */

static const size_t wait_call_count = sizeof(wait_calls) / sizeof(*wait_calls);
