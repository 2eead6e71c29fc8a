/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_wire: one connection to a JVM, on which nothing waits for ever.
 */
#ifndef CORE_ATTACH_ATTACH_WIRE_H
#define CORE_ATTACH_ATTACH_WIRE_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct attach_wire {
	const struct jvm *jvm;
	int fd;              /* non-blocking once it is sent to */
	int64_t deadline_ns; /* of clock_monotonic_ns(), for all of it */
	int64_t timeout_ns;  /* that it was made of, for messages */
};

/*
 * Each fails with ERROR_REFUSED when the deadline passes, naming what state
 * the JVM is in, and with ERROR_NO_TARGET when it has ended.
 */
int attach_wire_send(struct attach_wire *w, const void *bytes, size_t len,
		     struct error *err);

/* Gives how many bytes came, at most len; 0 at the end; -1 and *err. */
ssize_t attach_wire_read(struct attach_wire *w, void *bytes, size_t len,
			 struct error *err);

/* Fails with ERROR_REFUSED: no answer in time, and why that may be. */
int attach_timed_out(const struct jvm *jvm, int64_t timeout_ns,
		     struct error *err);

/*
 * True when the JVM is ending, even if it is not a zombie yet: its memory goes
 * before its files do, so that it has gone by the time a socket is closed.
 */
bool attach_jvm_is_ending(const struct jvm *jvm);

#endif
