/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_library: the agent's library, which is part of this binary.
 */
#ifndef JVMTI_CLIENT_CLIENT_LIBRARY_H
#define JVMTI_CLIENT_CLIENT_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AGENT_NAMES = 48 }; /* bytes of a name in a folder, with the NUL */

const void *agent_library_bytes(size_t *len);

/*
 * "agent-0123456789abcdef.so", by what is in it: a library of that name that a
 * JVM has loaded is of this version.
 */
const char *agent_library_name(void);

/* The offset in the file of a function that it exports; false = none. */
bool agent_library_function(const char *name, uint64_t *offset);

#endif
