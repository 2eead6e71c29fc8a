/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refusal: returns that the proxy makes itself.
 */
#ifndef JMX_HTTP_PROXY_REFUSAL_H
#define JMX_HTTP_PROXY_REFUSAL_H

#include "jmx_http/rmi/jrmp.h"

enum refusal_kind {
	REFUSAL_SECURITY,    /* java.lang.SecurityException */
	REFUSAL_UNREACHABLE, /* java.rmi.ConnectException */
	REFUSAL_NOT_BOUND,   /* java.rmi.NotBoundException */
};

/* Appends a return: the exception, with a message in UTF-8. */
void refusal_add(struct text *out, enum refusal_kind kind, const char *message);

/* Appends a return's head, of a value, which is to follow. */
void refusal_add_head(struct text *out);

#endif
