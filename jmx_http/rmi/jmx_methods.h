/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jmx_methods: what may be called of JMX's remote objects, and how that is said
 * on the wire.
 *
 * A method is known by a hash of its name and descriptor: the first 8 bytes,
 * little-endian, of the SHA-1 of "name(types)type" as writeUTF() has it (Java
 * RMI Specification, 8.3).
 */
#ifndef JMX_HTTP_RMI_JMX_METHODS_H
#define JMX_HTTP_RMI_JMX_METHODS_H

#include "jmx_http/rmi/jrmp.h"

enum jmx_method {
	/* java.rmi.registry.Registry and java.rmi.dgc.DGC */
	JMX_LOOKUP,
	JMX_DIRTY,
	/* javax.management.remote.rmi.RMIServer */
	JMX_GET_VERSION,
	JMX_NEW_CLIENT,
	/* javax.management.remote.rmi.RMIConnection */
	JMX_CLOSE,
	JMX_GET_ATTRIBUTE,
	JMX_GET_ATTRIBUTES,
	JMX_SET_ATTRIBUTE,
	JMX_INVOKE_OPERATION,
	JMX_QUERY_NAMES,
	JMX_GET_MBEAN_INFO,
	JMX_GET_MBEAN_COUNT,
	JMX_GET_DEFAULT_DOMAIN,
	JMX_ADD_LISTENERS,
	JMX_FETCH_NOTIFICATIONS,
};

#define JMX_METHODS (JMX_FETCH_NOTIFICATIONS + 1)

struct jmx_method_info {
	/* "name(descriptor)", or NULL: the hash is of the interface. */
	const char *signature;
	uint64_t hash;
	int32_t operation; /* of an interface with a hash; else -1 */
	bool is_void;
};

extern const struct jmx_method_info jmx_methods[JMX_METHODS];

/* Appends a call; the arguments follow, of those that are objects. */
void jmx_add_call(struct text *out, const struct jrmp_id *object,
		  enum jmx_method method);

#endif
