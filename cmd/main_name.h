/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main_name: what a running program is called, by what it was started with.
 */
#ifndef CMD_MAIN_NAME_H
#define CMD_MAIN_NAME_H

#include "core/base/text.h"
#include "core/jvm/jvm.h"

/*
 * The last part of a main class, module/class or jar's path: "Main",
 * "app.jar".  It is a part of the string given.
 */
const char *main_name_simple(const char *main_class);

/*
 * Replaces *out by the main class as it was given or, when it is unknown, by
 * the name that the kernel has for the process, in parentheses: "(javac)".
 */
void main_name_of(const struct jvm *jvm, const struct jvm_info *about,
		  struct text *out);

/* Adds "Main (4711)" of a process, or "(4711)" when it tells nothing. */
void main_name_add_with_pid(const struct jvm *jvm, struct text *out);

#endif
