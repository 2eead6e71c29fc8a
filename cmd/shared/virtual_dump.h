/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtual_dump: thread dumps with virtual threads, which a JVM only writes to
 * files (Thread.dump_to_file, JDK 21).
 *
 * A child with the identity of the JVM's user creates a directory with a random
 * name in the JVM's file system, which only that user may enter. The JVM
 * creates the file there. The child opens the file relative to its directory
 * and removes both, also when sjkc fails or is killed.
 */
#ifndef CMD_SHARED_VIRTUAL_DUMP_H
#define CMD_SHARED_VIRTUAL_DUMP_H

#include "core/attach/attach.h"
#include "core/base/error.h"
#include "core/base/input.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Fails with ERROR_UNAVAILABLE if the JVM cannot write such dumps: before JDK
 * 21, and for other JVMs than HotSpot.
 */
int virtual_dump_check(const struct jvm *jvm, struct error *err);

/*
 * Lets the JVM write a dump, as JSON or as text, and opens it: the bytes are
 * complete, and belong to the caller, who calls input_close() in any case.
 * timeout_ns bounds the creation of the file; the session has its own timeout.
 * ERROR_REFUSED if there is no place for the file, or the file is not the
 * JVM's.
 */
int virtual_dump_take(const struct jvm *jvm, struct attach *a, bool is_json,
		      int64_t timeout_ns, struct input *dump,
		      struct error *err);

#endif
