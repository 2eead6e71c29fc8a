/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_probe_records: reads the records about probes
 * (agent_probe_protocol.h).
 *
 * The records are in a file of the JVM, so they are foreign.
 */
#ifndef JVMTI_CLIENT_CLIENT_PROBE_RECORDS_H
#define JVMTI_CLIENT_CLIENT_PROBE_RECORDS_H

#include "core/base/arena.h"
#include "core/base/cursor.h"
#include "jvmti/client/client_probes.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns the name of a type as in Java, "java.lang.String[]", for its JVM
 * signature.
 */
const char *probe_record_name(struct arena *a, const char *signature);

/* Reads a string; "" when the record is damaged. */
const char *probe_record_text(struct cursor *r, struct arena *a);

/*
 * Reads a PROBE_RECORD_CALL from its first byte on: all but the method and the
 * exception, which are *id and *kind.  Returns false when it is damaged.
 */
bool probe_record_call(struct cursor *r, struct arena *a, uint64_t *id,
		       uint64_t *kind, struct probe_call *call);

#endif
