/* SPDX-License-Identifier: Apache-2.0 */
/*
 * methods: the remote methods of JMX over RMI, for client and proxy.
 *
 * A call on the wire carries neither its length nor its number of arguments;
 * both follow from the method.  The wire names a method by a hash: the first
 * 8 bytes, little-endian, of the SHA-1 of "name(types)type" in writeUTF()
 * encoding (Java RMI Specification, 8.3).  The registry and DGC use a hash of
 * the interface and an operation number instead.
 */
#ifndef JMX_HTTP_RMI_METHODS_H
#define JMX_HTTP_RMI_METHODS_H

#include "jmx_http/rmi/jrmp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jmx_method {
	JMX_BIND,
	JMX_LIST,
	JMX_LOOKUP,
	JMX_REBIND,
	JMX_UNBIND,
	JMX_CLEAN,
	JMX_DIRTY,
	JMX_NEW_CLIENT,
	JMX_GET_VERSION,
	JMX_GET_ATTRIBUTE,
	JMX_GET_ATTRIBUTES,
	JMX_GET_CONNECTION_ID,
	JMX_GET_DEFAULT_DOMAIN,
	JMX_GET_DOMAINS,
	JMX_GET_MBEAN_COUNT,
	JMX_GET_MBEAN_INFO,
	JMX_GET_OBJECT_INSTANCE,
	JMX_IS_REGISTERED,
	JMX_IS_INSTANCE_OF,
	JMX_QUERY_NAMES,
	JMX_QUERY_MBEANS,
	JMX_FETCH_NOTIFICATIONS,
	JMX_ADD_LISTENERS,
	JMX_REMOVE_LISTENERS,
	JMX_CLOSE,
	JMX_ADD_LISTENER,
	JMX_REMOVE_LISTENER,
	JMX_REMOVE_LISTENER_OF,
	JMX_SET_ATTRIBUTE,
	JMX_SET_ATTRIBUTES,
	JMX_UNREGISTER,
	JMX_CREATE,
	JMX_CREATE_BY_LOADER,
	JMX_CREATE_WITH,
	JMX_CREATE_WITH_BY_LOADER,
	JMX_INVOKE_OPERATION,
};

#define JMX_METHODS (JMX_INVOKE_OPERATION + 1)

/* The interface that declares the method. */
enum method_interface {
	METHOD_OF_REGISTRY,   /* java.rmi.registry.Registry */
	METHOD_OF_DGC,        /* java.rmi.dgc.DGC */
	METHOD_OF_SERVER,     /* javax.management.remote.rmi.RMIServer */
	METHOD_OF_CONNECTION, /* javax.management.remote.rmi.RMIConnection */
};

enum method_effect {
	METHOD_READS,
	METHOD_CHANGES,
	METHOD_INVOKES, /* reads or changes, depending on the operation */
	METHOD_NAMES,   /* changes the registry; JMX clients never do */
};

struct method {
	enum method_interface interface;
	enum method_effect effect;
	int32_t operation; /* of the registry and DGC; else -1 */
	uint64_t hash; /* of the method; of the registry's or DGC's interface */
	const char *name;
	const char *descriptor; /* JVMS 4.3.3 */
	/*
	 * The arguments after the head of the call: 'o' is an object, a digit
	 * is the number of bytes of block data.
	 */
	const char *arguments;
	uint8_t primitives; /* bytes of primitive arguments within the head */
	bool gives_stub;    /* returns a stub that the client calls next */
	bool is_login;
	/* Argument indices of the MBean and of its member; -1: none. */
	int8_t object, member;
};

/* Indexed by enum jmx_method. */
extern const struct method jmx_methods[JMX_METHODS];

/* Finds the method of a call; NULL if the table lacks it. */
const struct method *method_find(enum method_interface interface,
				 int32_t operation, uint64_t hash);

/* Finds a method of RMIServer or RMIConnection by its hash; or NULL. */
const struct method *method_find_jmx(uint64_t hash);

/* True if the method returns void: the return has no value. */
bool method_is_void(enum jmx_method method);

/* Appends the head of a call; the caller appends the object arguments. */
void jmx_add_call(struct text *out, const struct jrmp_id *object,
		  enum jmx_method method);

#endif
