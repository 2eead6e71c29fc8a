/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_hotspot: requests and replies as HotSpot has them on its socket.
 *
 * A connection carries one request, and the reply up to its end: a status in
 * decimal, LF, and text.  Protocol 1 (JDK 6 on) has an operation and exactly
 * three arguments, each ended by NUL.  Protocol 2 (JDK 24 on) begins with the
 * length of what follows and has as many arguments as are given; the operation
 * may be followed by options, of which "streaming" says whether the reply may
 * be sent while it is made.  The operation "getversion" tells which there are.
 */
#ifndef CORE_ATTACH_ATTACH_HOTSPOT_H
#define CORE_ATTACH_ATTACH_HOTSPOT_H

#include "core/attach/attach.h"
#include "core/base/error.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* What a JVM understands. */
struct hotspot_protocol {
	int version;        /* 1 or 2 */
	bool has_streaming; /* the option of that name */
};

/*
 * Appends a request.  ERROR_MISUSE when the protocol cannot carry it: more than
 * three arguments, or one longer than a JVM's buffer for protocol 1.
 */
int hotspot_encode(struct text *out, struct hotspot_protocol protocol,
		   const struct attach_request *request, struct error *err);

/* What the reply to "getversion options" says; status as the reply has it. */
struct hotspot_protocol hotspot_protocol_of(int status, const char *text,
					    size_t len);

/* The status of a reply, as its bytes come in.  Zeroed storage is its start. */
struct hotspot_status {
	bool is_known; /* value has been read, and the LF behind it */
	bool is_wrong; /* what came is no status */
	int value;
	/* Private from here on. */
	char digits[16];
	size_t len;
};

/* Takes what of the bytes belongs to the status; gives how many they are. */
size_t hotspot_status_feed(struct hotspot_status *s, const char *bytes,
			   size_t len);

#endif
