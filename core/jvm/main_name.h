/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main_name: the display name of a running program, from its command line.
 */
#ifndef CORE_JVM_MAIN_NAME_H
#define CORE_JVM_MAIN_NAME_H

#include "core/base/text.h"
#include "core/jvm/jvm.h"

/*
 * Returns the last part of a main class, a module/class or a jar's path:
 * "Main", "app.jar". The result points into main_class.
 */
const char *main_name_simple(const char *main_class);

/*
 * Sets out to the main class of the command line or, when it is unknown, to the
 * kernel's name of the process in parentheses: "(javac)".
 */
void main_name_of(const struct jvm *jvm, const struct jvm_info *info,
		  struct text *out);

/* Appends "Main (4711)", or "(4711)" when the name is unknown. */
void main_name_add_with_pid(const struct jvm *jvm, struct text *out);

/* The same with the pod: "Main (4711) in prod/shop-7, container web". */
void main_name_add_with_pod(const struct jvm *jvm, struct text *out);

#endif
