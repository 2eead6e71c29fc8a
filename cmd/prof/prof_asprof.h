/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof_asprof: async-profiler's spellings of actions, options and events.
 *
 * Spellings that have a meaning in prof work; the others name the alternative.
 */
#ifndef CMD_PROF_PROF_ASPROF_H
#define CMD_PROF_PROF_ASPROF_H

#include "cmd/prof/prof_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Moves asprof's "-i 10ms", "-f out.html", "-o collapsed" and its actions to
 * the options of prof.  Call it before inputs and PIDs are read.  ERROR_MISUSE.
 */
int prof_take_asprof(struct prof_options *o, int *argc, char ***argv,
		     struct error *err);

/* True when the name of -f contains the target's PID: "%p.html". */
bool prof_asprof_file_has_pid(const struct prof_options *o);

/*
 * Like asprof, replaces %p by the PID and %t by the time in the name of -f. pid
 * is 0 when there is no single process. ERROR_MISUSE.
 */
int prof_asprof_name_file(struct prof_options *o, pid_t pid, struct error *err);

/* Options of asprof that prof does not have; ends with NULLs. */
extern const struct refusal prof_asprof_refusals[];

/* Returns prof's event for another profiler's name of it, or NULL. */
const char *prof_asprof_event(const char *word, size_t len);

/* ERROR_MISUSE for a known event that prof does not sample; otherwise 0. */
int prof_asprof_refuse_event(const char *word, size_t len, struct error *err);

#endif
