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

/* Appends a verb, "reads" or "read". */
static void words_verb(struct wait_words *o, const char *verb)
{
	text_puts(o->out, verb);
	if (!o->many)
		text_putc(o->out, 's');
}

static void words_path(struct wait_words *o)
{
	uint32_t path = o->p->path;

	safe_text(o->out, intern_text(&o->w->paths, path),
		  intern_len(&o->w->paths, path));
}

/* "port 8080", or "127.0.0.1:8080" if the socket has an address. */
static void words_local(struct wait_words *o)
{
	if (net_end_is_any(&o->p->local))
		text_printf(o->out, "port %u", net_end_port(&o->p->local));
	else
		net_end_text(&o->p->local, o->out);
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
	switch (o->p->object) {
	case WAIT_ON_FILE:
	case WAIT_ON_OTHER:
		if (o->p->path)
			words_path(o);
		else
			text_puts(o->out, "an unknown descriptor");
		break;
	case WAIT_ON_PIPE:
		text_puts(o->out, "a pipe");
		break;
	case WAIT_ON_TCP:
		words_tcp(o);
		break;
	case WAIT_ON_UDP:
		words_udp(o);
		break;
	case WAIT_ON_UNIX:
		words_unix(o);
		break;
	case WAIT_ON_SOCKET:
		text_puts(o->out, o->w->is_cut ? "a socket"
					       : "a socket of another protocol "
						 "or network");
		break;
	case WAIT_ON_EVENTFD:
		text_puts(o->out, "an eventfd");
		break;
	case WAIT_ON_INOTIFY:
		text_puts(o->out, "inotify");
		break;
	case WAIT_ON_EPOLL:
		text_puts(o->out, "an epoll descriptor");
		break;
	case WAIT_OBJECTS:
		break;
	}
}

static void words_accept(struct wait_words *o)
{
	words_verb(o, "accept");
	text_puts(o->out, " at ");
	if (o->p->object == WAIT_ON_TCP)
		words_local(o);
	else
		words_object(o);
}

static void words_watch(struct wait_words *o)
{
	const struct wait_peer *p = o->p;

	words_verb(o, "wait");
	text_puts(o->out, " for events of ");
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
	struct wait_words o = { out, w, p, many };

	switch (p->action) {
	case WAIT_ABSENT:
		break;
	case WAIT_READS:
		words_verb(&o, "read");
		text_puts(out, " from ");
		words_object(&o);
		break;
	case WAIT_WRITES:
		words_verb(&o, "write");
		text_puts(out, " to ");
		words_object(&o);
		break;
	case WAIT_CONNECTS:
		words_verb(&o, "connect");
		text_puts(out, " to ");
		words_object(&o);
		break;
	case WAIT_ACCEPTS:
		words_accept(&o);
		break;
	case WAIT_WATCHES:
		words_watch(&o);
		break;
	case WAIT_CALLS:
		words_verb(&o, "wait");
		text_printf(out, " in %s(2) for ", p->call);
		words_object(&o);
		break;
	}
}
