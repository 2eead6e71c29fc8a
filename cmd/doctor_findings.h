/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_findings: how a check of doctor reports its findings.
 *
 * Private to the files of the checkup.
 */
#ifndef CMD_DOCTOR_FINDINGS_H
#define CMD_DOCTOR_FINDINGS_H

#include "cmd/doctor_checks.h"

/* The next finding; its detail and remedy are still to be said. */
struct finding *doctor_checks_add(struct doctor_checks *c, const char *name,
				  enum condition_state state, unsigned breaks);

/* A finding that is neither good nor bad. */
struct finding *doctor_checks_note(struct doctor_checks *c, const char *name);

void finding_detail(struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void finding_remedy(struct finding *f, const char *text);

/* An error without the pid in front, which the title has. */
void finding_error(struct doctor_checks *c, struct finding *f,
		   const struct error *err);

/* The first finding so far that breaks one of needs; NULL = none does. */
const struct finding *doctor_checks_broken(const struct doctor_checks *c,
					   unsigned needs);

/* True when there is such a command, or the first word of it. */
bool doctor_checks_knows(const char *command);

/* True, too, when it is not known to be another: "net", "pid", … */
bool doctor_checks_same_namespace(pid_t pid, const char *name);

/* The look at its JMX: cmd/doctor_jmx.c. */
void doctor_checks_look_at_jmx(struct doctor_checks *c);

/* The look at what the kernel would run for us: cmd/doctor_bpf.c. */
void doctor_checks_look_at_bpf(struct doctor_checks *c);

/* The look at what of its memory prof understands: there, too. */
void doctor_checks_look_at_stacks(struct doctor_checks *c);

#endif
