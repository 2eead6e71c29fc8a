/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/method.h"

#define REGISTRY_HASH 0x44154dc9d4e63bdfu /* sun.rmi.registry.RegistryImpl */
#define DGC_HASH      0xf6b6898d8bf28643u /* sun.rmi.transport.DGCImpl */

/* clang-format off */
#define REGISTRY(op, what, n, args, ...) \
	{ .of = METHOD_OF_REGISTRY, .does = METHOD_##what, .operation = (op), \
	  .hash = REGISTRY_HASH, .name = (n), .arguments = (args), \
	  .object = -1, .member = -1, __VA_ARGS__ }
#define DGC(op, n, args) \
	{ .of = METHOD_OF_DGC, .does = METHOD_READS, .operation = (op), \
	  .hash = DGC_HASH, .name = (n), .arguments = (args), \
	  .object = -1, .member = -1 }
#define JMX(owner, h, what, n, args, o, m, ...) \
	{ .of = METHOD_OF_##owner, .does = METHOD_##what, .operation = -1, \
	  .hash = (h), .name = (n), .arguments = (args), .object = (o), \
	  .member = (m), __VA_ARGS__ }

/*
 * java.rmi.registry.Registry and java.rmi.dgc.DGC by their skeletons' numbers;
 * javax.management.remote.rmi.RMIServer and RMIConnection of JDK 17, which are
 * those of 5 to 25; the last argument is a Subject.
 */
static const struct method methods[] = {
	REGISTRY(0, NAMES, "bind", "oo"),
	REGISTRY(1, READS, "list", ""),
	REGISTRY(2, READS, "lookup", "o", .gives_stub = true),
	REGISTRY(3, NAMES, "rebind", "oo"),
	REGISTRY(4, NAMES, "unbind", "o"),

	DGC(0, "clean", "o8o1"),
	DGC(1, "dirty", "o8o"),

	JMX(SERVER, 0xf0e074eaad0caea8u, READS, "newClient", "o", -1, -1,
	    .gives_stub = true, .is_login = true),
	JMX(SERVER, 0x8fda2350c701988du, READS, "getVersion", "", -1, -1),

	JMX(CONNECTION, 0xf0e0500a394d7215u, READS, "getAttribute", "ooo", 0, 1),
	JMX(CONNECTION, 0x5739d96a8b235c47u, READS, "getAttributes", "ooo", 0, 1),
	JMX(CONNECTION, 0xff0ebec77dc65363u, READS, "getConnectionId", "", -1, -1),
	JMX(CONNECTION, 0x53eda2d82e1bdfa8u, READS, "getDefaultDomain", "o", -1, -1),
	JMX(CONNECTION, 0xa38ab48d41d0f631u, READS, "getDomains", "o", -1, -1),
	JMX(CONNECTION, 0xe3a812879dc32ea5u, READS, "getMBeanCount", "o", -1, -1),
	JMX(CONNECTION, 0x993cd0f9b9817af6u, READS, "getMBeanInfo", "oo", 0, -1),
	JMX(CONNECTION, 0x6073b3361f37bdc2u, READS, "getObjectInstance", "oo", 0, -1),
	JMX(CONNECTION, 0x738ac4e1ccaba014u, READS, "isRegistered", "oo", 0, -1),
	JMX(CONNECTION, 0xe2327cc9422dbcf2u, READS, "isInstanceOf", "ooo", 0, 1),
	JMX(CONNECTION, 0x7f0473acb73677dau, READS, "queryNames", "ooo", 0, -1),
	JMX(CONNECTION, 0x28774a543ca14dd8u, READS, "queryMBeans", "ooo", 0, -1),
	JMX(CONNECTION, 0xba171f3dc87c75e2u, READS, "fetchNotifications", "", -1,
	    -1, .primitives = 20),
	JMX(CONNECTION, 0xb6258d6e656d6eefu, READS, "addNotificationListeners",
	    "ooo", 0, -1),
	JMX(CONNECTION, 0x23604b280b8bbe96u, READS, "removeNotificationListeners",
	    "ooo", 0, -1),
	JMX(CONNECTION, 0xbe2e5bc7809d0dccu, READS, "close", "", -1, -1),

	/* These two make MBeans call one another. */
	JMX(CONNECTION, 0x88f3b1814f68ccebu, CHANGES, "addNotificationListener",
	    "ooooo", 0, -1),
	JMX(CONNECTION, 0x5ba8aee8fa8e0529u, CHANGES,
	    "removeNotificationListener", "ooo", 0, -1),
	JMX(CONNECTION, 0x23c70088fdb91189u, CHANGES,
	    "removeNotificationListener", "ooooo", 0, -1),
	JMX(CONNECTION, 0x5d845744730afe0cu, CHANGES, "setAttribute", "ooo", 0, -1),
	JMX(CONNECTION, 0xfccd348c60ef0ee4u, CHANGES, "setAttributes", "ooo", 0, -1),
	JMX(CONNECTION, 0xfdc958e2c12414d4u, CHANGES, "unregisterMBean", "oo", 0,
	    -1),
	JMX(CONNECTION, 0x22d7fd4a906ac8e6u, CHANGES, "createMBean", "ooo", 1, 0),
	JMX(CONNECTION, 0x878c5407aefc625cu, CHANGES, "createMBean", "oooo", 1, 0),
	JMX(CONNECTION, 0x438dfa6cea1191a2u, CHANGES, "createMBean", "ooooo", 1, 0),
	JMX(CONNECTION, 0xa4567c41a6370b8fu, CHANGES, "createMBean", "oooooo", 1,
	    0),
	JMX(CONNECTION, 0x13e7d69417e5da20u, INVOKES, "invoke", "ooooo", 0, 1),
};
/* clang-format on */

#define METHODS (sizeof(methods) / sizeof(*methods))

const struct method *method_find(enum method_of of, int32_t operation,
				 uint64_t hash)
{
	for (size_t i = 0; i < METHODS; i++)
		if (methods[i].of == of && methods[i].hash == hash &&
		    methods[i].operation == operation)
			return &methods[i];
	return NULL;
}

const struct method *method_of_jmx(uint64_t hash)
{
	const struct method *m = method_find(METHOD_OF_SERVER, -1, hash);

	return m ? m : method_find(METHOD_OF_CONNECTION, -1, hash);
}
