/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jvm_selector: the options that select JVMs for --all, by main class, user,
 * container and age.
 */
#ifndef CMD_SHARED_JVM_SELECTOR_H
#define CMD_SHARED_JVM_SELECTOR_H

#include "cmd/shared/command.h"
#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jvm_selector_options {
	/* Each "main=GLOB", "user=GLOB" or "container=GLOB". */
	struct option_list include, exclude;
	int64_t min_age_ns; /* < 0: not given */
};

/* The rows of an option table; o is a struct jvm_selector_options. */
/* clang-format off */
#define OPT_JVM_SELECTOR(o) \
	OPT_LIST(0, "include-jvm", &(o).include, "<key>=<glob>", \
		 "with --all: keep JVMs by main, user, container", \
		 .single = true, \
		 .complete = "main=|user=|container=", .requires = "all"), \
	OPT_LIST(0, "exclude-jvm", &(o).exclude, "<key>=<glob>", \
		 "with --all: omit JVMs by main, user, container", \
		 .single = true, \
		 .complete = "main=|user=|container=", .requires = "all"), \
	OPT_DURATION(0, "min-age", &(o).min_age_ns, "<time>", \
		     "with --all: omit JVMs that are younger", \
		     .requires = "all")
/* clang-format on */

/* True if one of the options is given. */
bool jvm_selector_is_given(const struct jvm_selector_options *o);

struct jvm_selector;

/* Compiles the options, which are borrowed. NULL and ERROR_MISUSE. */
struct jvm_selector *jvm_selector_new(const struct jvm_selector_options *o,
				      struct error *err);
void jvm_selector_free(struct jvm_selector *s); /* NULL is fine */

/*
 * True if a JVM is selected: it is old enough, some include matches, unless
 * there is none, and no exclude matches. A JVM may be given any number of
 * times, which is cheap after the first; *is_final is false if its age will
 * change the result.
 */
bool jvm_selector_wants(struct jvm_selector *s, const struct jvm *jvm,
			bool *is_final);

/* Logs how many JVMs were left out, by option. NULL is fine. */
void jvm_selector_log(const struct jvm_selector *s);

#endif
