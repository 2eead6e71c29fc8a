/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jcmd_jmx: diagnostic commands by JMX.
 *
 * A JVM has an MBean with an operation for each command that may be used from
 * elsewhere: com.sun.management.internal.DiagnosticCommandImpl.
 */
#ifndef CMD_JCMD_JMX_H
#define CMD_JCMD_JMX_H

#include "core/base/text.h"
#include "jmx_http/jmx.h"

/*
 * Has a line carried out, "GC.class_histogram -all", and prints the answer.
 * ERROR_NO_TARGET when the JVM has no such command, ERROR_MISUSE when the
 * command takes no arguments; else as jmx_run().
 */
int jcmd_jmx(struct jmx *jmx, const char *line, struct error *err);

/*
 * Appends the name of a command's operation: "gcClassHistogram".  What is
 * before the first '.' or '_' is in lower case, behind each of them stands an
 * upper one, all else is kept (DiagnosticCommandImpl.transform, JDK 17 and 25).
 */
void jcmd_jmx_operation(struct text *out, const char *command, size_t len);

#endif
