/* SPDX-License-Identifier: Apache-2.0 */
/* jvm_kind: recognizes JVMs by the libraries they have mapped. */
#ifndef CORE_JVM_JVM_KIND_H
#define CORE_JVM_JVM_KIND_H

#include "core/base/error.h"
#include "core/jvm/procfs.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum jvm_kind {
	JVM_NONE, /* not a JVM, or an unknown kind, such as a native image */
	JVM_HOTSPOT,
	JVM_OPENJ9,
};

/*
 * Reads /proc/PID/maps and sets *kind. The status, unless it is NULL, is for
 * the message of ERROR_PERMISSION, which has the fix; ERROR_NO_TARGET.
 */
int jvm_kind_of(pid_t pid, const struct proc_status *status,
		enum jvm_kind *kind, struct error *err);

/*
 * The same, and sets *library to the mapped path of the JVM's library; empty if
 * there is none.
 */
int jvm_kind_library(pid_t pid, enum jvm_kind *kind, struct text *library,
		     struct error *err);

/*
 * The kind that one line of /proc/PID/maps reveals: JVM_NONE unless the line
 * maps the code of a JVM.
 */
enum jvm_kind jvm_kind_of_mapping(const char *line, size_t len);

/*
 * False if a process with unreadable mappings is certainly not a JVM, according
 * to its signal handlers.
 */
bool jvm_kind_may_be(const struct proc_status *status);

/*
 * Sets *err to ERROR_NO_TARGET, which names the process as a kernel thread, a
 * native image, or another program. Returns -1.
 */
int jvm_kind_explain(pid_t pid, struct error *err);

/*
 * True if an open file is a program built by GraalVM's native-image: a 64-bit
 * ELF file with a section .svm_heap. The file is not trusted.
 */
bool native_image_is(int fd);

#endif
