/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_checks: which commands work on a JVM from here, and why the others
 * fail.
 *
 * A table of looks gives findings, each of which may break something that
 * commands need; a table of commands says what they need.  Nothing that is
 * looked at changes the JVM.
 */
#ifndef CMD_DOCTOR_CHECKS_H
#define CMD_DOCTOR_CHECKS_H

#include "core/attach/attach_conditions.h"
#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>

/* Preconditions of commands. */
enum doctor_need {
	NEED_PROC = 1,     /* its /proc */
	NEED_COUNTERS = 2, /* core/jvm/perfdata */
	NEED_ATTACH = 4,   /* core/attach/attach */
	NEED_JMX = 8,      /* jmx_http/rmi/rmi_local */
	NEED_BPF = 16,     /* bpf/sampler */
	NEED_STACKS = 32,  /* core/unwind */
	NEED_NAMES = 64,   /* core/hotspot */
};

struct finding {
	struct condition is;
	unsigned breaks; /* of enum doctor_need, unless it holds */
	bool is_note;    /* neither good nor bad */
	bool is_warning; /* breaks nothing, and is bad */
};

struct ability {
	const char *command;           /* "vminfo --perf" */
	const struct finding *no;      /* why not; NULL = works */
	const struct finding *in_part; /* why something of it is missing */
};

enum { DOCTOR_FINDINGS = 64, DOCTOR_ABILITIES = 16 };

struct doctor_checks {
	pid_t pid;
	struct jvm jvm; /* closed, with its pid 0, when it may not be opened */
	struct jvm_info info; /* empty when the JVM cannot be opened */
	struct finding findings[DOCTOR_FINDINGS];
	size_t count;
	struct ability abilities[DOCTOR_ABILITIES];
	size_t ability_count;
};

/* Looks at a JVM, which is borrowed until doctor_checks_release(). */
void doctor_checks_init(struct doctor_checks *c, const struct jvm *jvm);

/* The same of one that may not be opened, for the reason given. */
void doctor_checks_init_refused(struct doctor_checks *c, pid_t pid,
				const struct error *why);
void doctor_checks_release(struct doctor_checks *c);

/*
 * The first finding that breaks what some command needs; NULL = all works. What
 * only sampling by the kernel needs is no obstacle: few have the rights to it.
 */
const struct finding *doctor_checks_obstacle(const struct doctor_checks *c);

/*
 * doctor_findings: how a check of doctor reports its findings.
 *
 * Private to the files of the checkup.
 */

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
