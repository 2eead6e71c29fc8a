/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client/client_stream.h"

#include "core/base/alloc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PART       ((size_t)1 << 20)
#define PUNCH_FROM ((uint64_t)1 << 20) /* bytes */
#define LOOKS      100                 /* at a report amid its writing */

void client_stream_init(struct client_stream *s, unsigned wants,
			uint64_t interval)
{
	*s = (struct client_stream){
		.fd = -1,
		.orders = {
			.magic = AGENT_MAGIC,
			.version = AGENT_VERSION,
			.wants = wants,
			.alloc_interval = interval,
			.not_consumed = ~UINT64_C(0),
		},
	};
}

int client_stream_hold(struct client_stream *s, int fd, struct error *err)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	s->fd = fd;
	if (fcntl(fd, F_OFD_SETLK, &lock) < 0)
		return fail_sys(err, ERROR_REFUSED,
				"cannot lock the agent's file");
	return 0;
}

void client_stream_close(struct client_stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	text_release(&s->left);
}

static int broken(struct client_stream *s, struct error *err)
{
	s->is_broken = true;
	return fail(err, ERROR_PARTIAL,
		    "what the agent has written cannot be read: who has the "
		    "JVM's user may have changed it");
}

int client_stream_look(struct client_stream *s, struct error *err)
{
	struct agent_report r;

	for (int i = 0; i < LOOKS; i++) {
		ssize_t got = pread(s->fd, &r, sizeof(r), AGENT_REPORT_AT);

		if (got != sizeof(r))
			break;
		if (r.produced == ~r.not_produced &&
		    r.produced >= s->orders.consumed &&
		    r.produced - s->orders.consumed <= AGENT_RING) {
			s->report = r;
			return 0;
		}
		/* Nothing has been reported yet. */
		if (r.produced == 0 && r.not_produced == 0 &&
		    s->orders.consumed == 0)
			return 0;
	}
	return broken(s, err);
}

/* Gives the memory back of what has been read. */
static void punch(struct client_stream *s)
{
	uint64_t from = s->punched % AGENT_RING;
	uint64_t to = s->orders.consumed % AGENT_RING;

	/* Beyond the ring's end it is done the next time. */
	if (s->orders.consumed - s->punched < PUNCH_FROM)
		return;
	if (to <= from)
		to = AGENT_RING;
	fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		  (off_t)(AGENT_HEADER + from), (off_t)(to - from));
	s->punched += to - from;
}

/* Tells the agent what it may write over. */
static void publish(struct client_stream *s)
{
	ssize_t ignored = pwrite(s->fd, &s->orders, sizeof(s->orders), 0);

	/* It is the agent's loss when it does not know of room. */
	(void)ignored;
}

/* Takes in the next len bytes, behind what is left. */
static int take_part(struct client_stream *s, struct client_symbols *symbols,
		     size_t len, struct error *err)
{
	uint64_t at = s->orders.consumed % AGENT_RING;
	size_t have = s->left.len, taken;
	char *bytes = xmalloc(have + len);
	ssize_t got;
	int ret = 0;

	if (have)
		memcpy(bytes, s->left.bytes, have);
	got = pread(s->fd, bytes + have, len, (off_t)(AGENT_HEADER + at));
	if (got != (ssize_t)len ||
	    !client_symbols_take(symbols, bytes, have + len, &taken)) {
		ret = broken(s, err);
	} else {
		text_clear(&s->left);
		text_add(&s->left, bytes + taken, have + len - taken);
		s->orders.consumed += len;
		s->orders.not_consumed = ~s->orders.consumed;
		punch(s);
	}
	free(bytes);
	return ret;
}

int client_stream_read(struct client_stream *s, struct client_symbols *symbols,
		       struct error *err)
{
	uint64_t end;
	int ret = 0;

	client_symbols_begin(symbols);
	if (s->is_broken)
		return 0;
	if (client_stream_look(s, err))
		return -1;
	end = s->report.produced;
	if (end == s->orders.consumed)
		return 0;
	while (ret == 0 && s->orders.consumed < end) {
		uint64_t len = end - s->orders.consumed;
		uint64_t to_end = AGENT_RING - s->orders.consumed % AGENT_RING;

		len = len < to_end ? len : to_end;
		ret = take_part(s, symbols, len < PART ? (size_t)len : PART,
				err);
	}
	publish(s);
	return ret;
}
