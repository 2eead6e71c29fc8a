/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof_dumps: prof_live() where there is no eBPF: by thread dumps.
 *
 * Each stops the program, and finds threads only where they can be stopped, so
 * that what is between such places is blamed on others: only when asked for,
 * and said in all that it makes.
 */
#ifndef CMD_PROF_PROF_DUMPS_H
#define CMD_PROF_PROF_DUMPS_H

#include "cmd/prof/prof_live.h"
#include "core/base/error.h"

int prof_dumps(const struct prof_live_options *o, struct error *err);

#endif
