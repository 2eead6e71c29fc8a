/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply_print: prints a JVM's reply on standard output.
 *
 * Control characters are escaped unless standard output is a file, which gets
 * the bytes unchanged.
 */
#ifndef CMD_SHARED_REPLY_PRINT_H
#define CMD_SHARED_REPLY_PRINT_H

#include "core/attach/attach.h"
#include "core/base/error.h"

/*
 * Sends a request and prints the reply. Fails as attach_stream() or with
 * ERROR_OUTPUT; the bytes received before are printed even then.
 */
int reply_print(struct attach *a, const struct attach_request *request,
		struct error *err);

/* Prints a reply that sjkc has already. ERROR_OUTPUT. */
int reply_put(const char *bytes, size_t len, struct error *err);

#endif
