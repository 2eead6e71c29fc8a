/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the peer of a wait in words. */
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "core/process/wait_peer.h"

struct wait_words {
	struct text *out;
	const struct wait_peers *w;
	const struct wait_peer *p;
	bool many;
};

static void words_path(struct wait_words *o)
{
	uint32_t path = o->p->path;

	safe_text(o->out, intern_text(&o->w->paths, path),
		  intern_len(&o->w->paths, path));
}

/* Appends the other end of a connection, behind "reads from ". */
static void words_tcp(struct wait_words *o)
{
	const struct wait_peer *p = o->p;

	if (p->direction != WAIT_INBOUND || !p->remote.family) {
		net_end_text(p->remote.family ? &p->remote : &p->local, o->out);
		return;
	}
	if (o->many) {
		text_puts(o->out, "clients of ");
	} else {
		net_end_text(&p->remote, o->out);
		text_puts(o->out, ", a client of ");
	}
	text_printf(o->out, "port %u", net_end_port(&p->local));
}

static void words_udp(struct wait_words *o)
{
	if (o->p->remote.family) {
		net_end_text(&o->p->remote, o->out);
		text_puts(o->out, " (UDP)");
	} else {
		text_printf(o->out, "UDP port %u", net_end_port(&o->p->local));
	}
}

static void words_unix(struct wait_words *o)
{
	if (!o->p->path) {
		text_puts(o->out, "a Unix socket");
		return;
	}
	if (o->p->direction == WAIT_INBOUND)
		text_puts(o->out, o->many ? "clients of " : "a client of ");
	text_puts(o->out, "the Unix socket ");
	words_path(o);
}

static void words_object(struct wait_words *o)
{
	static const char *const names[WAIT_OBJECTS] = {
		[WAIT_ON_PIPE] = "a pipe",
		[WAIT_ON_EVENTFD] = "an eventfd",
		[WAIT_ON_INOTIFY] = "inotify",
		[WAIT_ON_EPOLL] = "an epoll descriptor",
	};
	enum wait_object object = o->p->object;

	if (object == WAIT_ON_TCP)
		words_tcp(o);
	else if (object == WAIT_ON_UDP)
		words_udp(o);
	else if (object == WAIT_ON_UNIX)
		words_unix(o);
	else if (object == WAIT_ON_SOCKET)
		text_puts(o->out, o->w->is_cut ? "a socket"
					       : "a socket of another protocol "
						 "or network");
	else if (names[object])
		text_puts(o->out, names[object]);
	else if (o->p->path)
		words_path(o);
	else
		text_puts(o->out, "an unknown descriptor");
}

static void words_watched(struct wait_words *o)
{
	const struct wait_peer *p = o->p;

	if (p->fd < 0 || p->object == WAIT_ON_EPOLL) {
		units_add_counted(o->out, p->watched, "descriptor");
	} else {
		words_object(o);
		if (p->watched > 1) {
			text_puts(o->out, " and ");
			units_add_counted(o->out, p->watched - 1,
					  "other descriptor");
		}
	}
	if (p->port)
		text_printf(o->out, ", one of which accepts at port %u",
			    p->port);
}

void wait_peer_text(const struct wait_peers *w, const struct wait_peer *p,
		    bool many, struct text *out)
{
	/* %s is the system call. */
	static const struct {
		const char *verb, *before;
	} actions[] = {
		[WAIT_READS] = { "read", " from " },
		[WAIT_WRITES] = { "write", " to " },
		[WAIT_CONNECTS] = { "connect", " to " },
		[WAIT_ACCEPTS] = { "accept", " at " },
		[WAIT_WATCHES] = { "wait", " for events of " },
		[WAIT_CALLS] = { "wait", " in %s(2) for " },
	};
	struct wait_words o = { out, w, p, many };

	if (p->action == WAIT_ABSENT)
		return;
	text_puts(out, actions[p->action].verb);
	text_puts(out, many ? "" : "s");
	text_printf(out, actions[p->action].before, p->call);
	if (p->action == WAIT_WATCHES)
		words_watched(&o);
	else if (p->action != WAIT_ACCEPTS || p->object != WAIT_ON_TCP)
		words_object(&o);
	else if (net_end_is_any(&p->local))
		text_printf(out, "port %u", net_end_port(&p->local));
	else
		net_end_text(&p->local, out);
}
