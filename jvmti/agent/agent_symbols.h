/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_symbols: makes records of what the JVM tells of its code.
 */
#ifndef JVMTI_AGENT_AGENT_SYMBOLS_H
#define JVMTI_AGENT_AGENT_SYMBOLS_H

#include "jvmti/agent/agent_jvmti.h"

#include <stdbool.h>
#include <stdint.h>

/* Takes its memory; 0 or the errno. */
int symbols_begin(void);
/* Gives it back; false: it is in use for too long. */
bool symbols_end(void);

/* The callbacks of JVMTI. */
void symbols_loaded(jvm_table *env, void *method, int32_t size,
		    const void *code, int32_t map_length, const void *map,
		    const struct jvmti_compile_record *records);
void symbols_unloaded(jvm_table *env, void *method, const void *code);
void symbols_generated(jvm_table *env, const char *name, const void *code,
		       int32_t size);

#endif
