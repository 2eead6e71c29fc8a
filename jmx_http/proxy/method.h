/* SPDX-License-Identifier: Apache-2.0 */
/*
 * method: the remote methods that a client of JMX calls, and what they take.
 *
 * A call on the wire says neither its length nor how many arguments it has:
 * both follow from the method, which is known by a hash.  What is not in the
 * table is no part of JMX, of the registry or of the garbage collection of RMI,
 * and is not passed on.
 */
#ifndef JMX_HTTP_PROXY_METHOD_H
#define JMX_HTTP_PROXY_METHOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whose method it is. */
enum method_of {
	METHOD_OF_REGISTRY,
	METHOD_OF_DGC,
	METHOD_OF_SERVER,     /* RMIServer */
	METHOD_OF_CONNECTION, /* RMIConnection */
};

/* What it does with what it is called on. */
enum method_does {
	METHOD_READS,
	METHOD_CHANGES,
	METHOD_INVOKES, /* which of both is the operation's business */
	METHOD_NAMES, /* gives a name to another object: no client's business */
};

struct method {
	enum method_of of;
	enum method_does does;
	int32_t operation; /* -1 for all but the registry's and DGC's */
	uint64_t hash;     /* of the method, or of the interface of those */
	const char *name;
	/*
	 * What follows the head of the call: o is an object, a digit block data
	 * of so many bytes.
	 */
	const char *arguments;
	uint8_t primitives; /* bytes of primitive arguments within the head */
	bool gives_stub;    /* of an object that the client then calls */
	bool is_login;
	/* Of the arguments, the MBean and what of it is called; or -1. */
	int8_t object, member;
};

/* The method of a call, or NULL. */
const struct method *method_find(enum method_of of, int32_t operation,
				 uint64_t hash);

/* RMIServer's and RMIConnection's, by the hash alone; or NULL. */
const struct method *method_of_jmx(uint64_t hash);

#endif
