/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jvm_kind: which JVM a process runs, if any, told by what it has mapped.
 */
#ifndef CORE_JVM_JVM_KIND_H
#define CORE_JVM_JVM_KIND_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"
#include "core/jvm/procfs.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Reads /proc/PID/maps.  ERROR_PERMISSION, naming uid, whose process it is, and
 * the remedy; ERROR_NO_TARGET.
 */
int jvm_kind_of(pid_t pid, uid_t uid, enum jvm_kind *kind, struct error *err);

/*
 * The same, and replaces *library by the path of the JVM's library, as it was
 * mapped; empty when there is none.
 */
int jvm_kind_library(pid_t pid, enum jvm_kind *kind, struct text *library,
		     struct error *err);

/* What one line of such a file says: JVM_NONE unless it is a JVM's code. */
enum jvm_kind jvm_kind_of_mapping(const char *line, size_t len);

/*
 * False for what is no JVM for certain, though its mappings may not be read: by
 * the signals that it handles.
 */
bool jvm_kind_may_be(const struct proc_status *status);

/*
 * Fails with ERROR_NO_TARGET, saying what a process is that is no JVM: a thread
 * of the kernel, a native image, or just another program.
 */
int jvm_kind_explain(pid_t pid, struct error *err);

/*
 * True when an open file is a program that GraalVM's native-image made: an ELF
 * file of 64 bits with a section .svm_heap.  The file is not trusted.
 */
bool native_image_is(int fd);

#endif
