/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_hotspot: the encoding of HotSpot's requests and replies.
 *
 * A connection carries one request and one reply, which ends with the
 * connection: a status in decimal, LF, and text. Protocol 1 (JDK 6 on) has an
 * operation and exactly three arguments, each terminated by NUL. Protocol 2
 * (JDK 24 on) begins with the length of the rest and has any number of
 * arguments; options may follow the operation, of which "streaming" allows the
 * JVM to send the reply while it produces it. The operation "getversion"
 * returns the protocols that a JVM supports.
 */
#ifndef CORE_ATTACH_ATTACH_HOTSPOT_H
#define CORE_ATTACH_ATTACH_HOTSPOT_H

#include "core/attach/attach.h"
#include "core/base/error.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* The protocol that a JVM supports. */
struct hotspot_protocol {
	int version;        /* 1 or 2 */
	bool has_streaming; /* the option of that name */
};

/*
 * Appends an encoded request. ERROR_MISUSE when the protocol cannot carry it:
 * more than three arguments, or one longer than the JVM's buffer for protocol
 * 1.
 */
int hotspot_encode(struct text *out, struct hotspot_protocol protocol,
		   const struct attach_request *request, struct error *err);

/* Parses the reply to "getversion options"; status is that of the reply. */
struct hotspot_protocol hotspot_protocol_of(int status, const char *text,
					    size_t len);

/*
 * The status of a reply, parsed as bytes arrive. Zeroed storage is the start.
 */
struct hotspot_status {
	bool is_known; /* value has been read, and the LF behind it */
	bool is_wrong; /* what came is no status */
	int value;
	/* Private from here on. */
	char digits[16];
	size_t len;
};

/* Parses the bytes that belong to the status; returns how many they are. */
size_t hotspot_status_feed(struct hotspot_status *s, const char *bytes,
			   size_t len);

#endif
