/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_library: the agent's library, which is part of this binary.
 */
#ifndef JVMTI_CLIENT_CLIENT_LIBRARY_H
#define JVMTI_CLIENT_CLIENT_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AGENT_NAMES = 48 }; /* bytes of a file name, with the NUL */

const void *agent_library_bytes(size_t *len);

/*
 * Returns "agent-0123456789abcdef.so", a name derived from the contents: a
 * library of that name in a JVM has this version.
 */
const char *agent_library_name(void);

/* Finds the offset in the file of an exported function; false = none. */
bool agent_library_function(const char *name, uint64_t *offset);

#endif
