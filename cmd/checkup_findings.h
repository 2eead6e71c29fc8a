/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkup_findings: how a look of a checkup says what it has found.
 *
 * Private to the files of the checkup.
 */
#ifndef CMD_CHECKUP_FINDINGS_H
#define CMD_CHECKUP_FINDINGS_H

#include "cmd/checkup.h"

/* The next finding; its detail and remedy are still to be said. */
struct finding *checkup_add(struct checkup *c, const char *name,
			    enum condition_state state, unsigned breaks);

/* A finding that is neither good nor bad. */
struct finding *checkup_note(struct checkup *c, const char *name);

void finding_detail(struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void finding_remedy(struct finding *f, const char *text);

/* An error without the pid in front, which the title has. */
void finding_error(struct checkup *c, struct finding *f,
		   const struct error *err);

/* The first finding so far that breaks one of needs; NULL = none does. */
const struct finding *checkup_broken(const struct checkup *c, unsigned needs);

/* True when there is such a command, or the first word of it. */
bool checkup_knows(const char *command);

/* True, too, when it is not known to be another: "net", "pid", … */
bool checkup_same_namespace(pid_t pid, const char *name);

/* The look at its JMX: cmd/checkup_jmx.c. */
void checkup_look_at_jmx(struct checkup *c);

/* The look at what the kernel would run for us: cmd/checkup_bpf.c. */
void checkup_look_at_bpf(struct checkup *c);

/* The look at what of its memory prof understands: there, too. */
void checkup_look_at_stacks(struct checkup *c);

#endif
