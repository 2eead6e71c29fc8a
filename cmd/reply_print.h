/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply_print: prints a JVM's reply on standard output.
 *
 * As it is, unless that is a terminal: then what could act on it is shown
 * instead.
 */
#ifndef CMD_REPLY_PRINT_H
#define CMD_REPLY_PRINT_H

#include "core/attach/attach.h"
#include "core/base/error.h"

/*
 * Makes a request and prints the reply.  Fails as attach_stream() does, or with
 * ERROR_OUTPUT; what came before is printed even then.
 */
int reply_print(struct attach *a, const struct attach_request *request,
		struct error *err);

/* The same for an answer that is here already.  ERROR_OUTPUT. */
int reply_put(const char *bytes, size_t len, struct error *err);

#endif
