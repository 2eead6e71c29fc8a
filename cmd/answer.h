/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer: what a JVM says, put on the standard output.
 *
 * As it is, unless that is a terminal: then what could act on it is shown
 * instead.
 */
#ifndef CMD_ANSWER_H
#define CMD_ANSWER_H

#include "core/attach/attach.h"
#include "core/base/error.h"

/*
 * Makes a request and prints the reply.  Fails as attach_stream() does, or with
 * ERROR_OUTPUT; what came before is printed even then.
 */
int answer_print(struct attach *a, const struct attach_request *request,
		 struct error *err);

/* The same for an answer that is here already.  ERROR_OUTPUT. */
int answer_put(const char *bytes, size_t len, struct error *err);

#endif
