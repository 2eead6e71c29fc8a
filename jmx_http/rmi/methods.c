/* SPDX-License-Identifier: Apache-2.0 */
/* The table of remote methods. */
#include "jmx_http/rmi/methods.h"

#include <string.h>

#define REGISTRY_HASH 0x44154dc9d4e63bdf /* sun.rmi.registry.RegistryImpl */
#define DGC_HASH      0xf6b6898d8bf28643 /* sun.rmi.transport.DGCImpl */

#define NAME          "Ljavax/management/ObjectName;"
#define STRING        "Ljava/lang/String;"
#define OBJECT        "Ljava/lang/Object;"
#define INSTANCE      "Ljavax/management/ObjectInstance;"
#define WRAP          "Ljava/rmi/MarshalledObject;"
#define SET           "Ljava/util/Set;"
/* The delegation subject: always null; JDK 25 accepts nothing else. */
#define WHOM "Ljavax/security/auth/Subject;"

/* clang-format off */
#define REGISTRY(op, what, n, d, args, ...) \
	{ .interface = METHOD_OF_REGISTRY, .effect = METHOD_##what, .operation = (op), \
	  .hash = REGISTRY_HASH, .name = (n), .descriptor = (d), \
	  .arguments = (args), .object = -1, .member = -1, __VA_ARGS__ }
#define DGC(op, what, n, d, args) \
	{ .interface = METHOD_OF_DGC, .effect = METHOD_##what, .operation = (op), \
	  .hash = DGC_HASH, .name = (n), .descriptor = (d), \
	  .arguments = (args), .object = -1, .member = -1 }
#define JMX(owner, h, what, n, d, args, o, m, ...) \
	{ .interface = METHOD_OF_##owner, .effect = METHOD_##what, .operation = -1, \
	  .hash = (h), .name = (n), .descriptor = (d), .arguments = (args), \
	  .object = (o), .member = (m), __VA_ARGS__ }

/*
 * Registry and DGC with the operation numbers of their skeletons; RMIServer and
 * RMIConnection of JDK 17, which equal those of JDK 5 to 25.
 */
const struct method jmx_methods[JMX_METHODS] = {
	[JMX_BIND] = REGISTRY(0, NAMES, "bind",
		"(" STRING "Ljava/rmi/Remote;)V", "oo"),
	[JMX_LIST] = REGISTRY(1, READS, "list",
		"()[" STRING, ""),
	[JMX_LOOKUP] = REGISTRY(2, READS, "lookup",
		"(" STRING ")Ljava/rmi/Remote;", "o", .gives_stub = true),
	[JMX_REBIND] = REGISTRY(3, NAMES, "rebind",
		"(" STRING "Ljava/rmi/Remote;)V", "oo"),
	[JMX_UNBIND] = REGISTRY(4, NAMES, "unbind",
		"(" STRING ")V", "o"),
	[JMX_CLEAN] = DGC(0, READS, "clean",
		"([Ljava/rmi/server/ObjID;JLjava/rmi/dgc/VMID;Z)V", "o8o1"),
	[JMX_DIRTY] = DGC(1, READS, "dirty",
		"([Ljava/rmi/server/ObjID;JLjava/rmi/dgc/Lease;)"
		"Ljava/rmi/dgc/Lease;",
		"o8o"),
	[JMX_NEW_CLIENT] = JMX(SERVER, 0xf0e074eaad0caea8u, READS, "newClient",
		"(" OBJECT ")Ljavax/management/remote/rmi/RMIConnection;",
		"o", -1, -1, .gives_stub = true, .is_login = true),
	[JMX_GET_VERSION] = JMX(SERVER, 0x8fda2350c701988du, READS,
		"getVersion",
		"()" STRING, "", -1, -1),
	[JMX_GET_ATTRIBUTE] = JMX(CONNECTION, 0xf0e0500a394d7215u, READS,
		"getAttribute",
		"(" NAME STRING WHOM ")" OBJECT, "ooo", 0, 1),
	[JMX_GET_ATTRIBUTES] = JMX(CONNECTION, 0x5739d96a8b235c47u, READS,
		"getAttributes",
		"(" NAME "[" STRING WHOM ")" "Ljavax/management/AttributeList;",
		"ooo", 0, 1),
	[JMX_GET_CONNECTION_ID] = JMX(CONNECTION, 0xff0ebec77dc65363u, READS,
		"getConnectionId",
		"()" STRING, "", -1, -1),
	[JMX_GET_DEFAULT_DOMAIN] = JMX(CONNECTION, 0x53eda2d82e1bdfa8u, READS,
		"getDefaultDomain",
		"(" WHOM ")" STRING, "o", -1, -1),
	[JMX_GET_DOMAINS] = JMX(CONNECTION, 0xa38ab48d41d0f631u, READS,
		"getDomains",
		"(" WHOM ")[" STRING, "o", -1, -1),
	[JMX_GET_MBEAN_COUNT] = JMX(CONNECTION, 0xe3a812879dc32ea5u, READS,
		"getMBeanCount",
		"(" WHOM ")Ljava/lang/Integer;", "o", -1, -1),
	[JMX_GET_MBEAN_INFO] = JMX(CONNECTION, 0x993cd0f9b9817af6u, READS,
		"getMBeanInfo",
		"(" NAME WHOM ")Ljavax/management/MBeanInfo;", "oo", 0, -1),
	[JMX_GET_OBJECT_INSTANCE] = JMX(CONNECTION, 0x6073b3361f37bdc2u, READS,
		"getObjectInstance",
		"(" NAME WHOM ")" INSTANCE, "oo", 0, -1),
	[JMX_IS_REGISTERED] = JMX(CONNECTION, 0x738ac4e1ccaba014u, READS,
		"isRegistered",
		"(" NAME WHOM ")Z", "oo", 0, -1),
	[JMX_IS_INSTANCE_OF] = JMX(CONNECTION, 0xe2327cc9422dbcf2u, READS,
		"isInstanceOf",
		"(" NAME STRING WHOM ")Z", "ooo", 0, 1),
	[JMX_QUERY_NAMES] = JMX(CONNECTION, 0x7f0473acb73677dau, READS,
		"queryNames",
		"(" NAME WRAP WHOM ")" SET, "ooo", 0, -1),
	[JMX_QUERY_MBEANS] = JMX(CONNECTION, 0x28774a543ca14dd8u, READS,
		"queryMBeans",
		"(" NAME WRAP WHOM ")" SET, "ooo", 0, -1),
	[JMX_FETCH_NOTIFICATIONS] = JMX(CONNECTION, 0xba171f3dc87c75e2u, READS,
		"fetchNotifications",
		"(JIJ)Ljavax/management/remote/NotificationResult;",
		"", -1, -1, .primitives = 20),
	[JMX_ADD_LISTENERS] = JMX(CONNECTION, 0xb6258d6e656d6eefu, READS,
		"addNotificationListeners",
		"([" NAME "[" WRAP "[" WHOM ")[Ljava/lang/Integer;",
		"ooo", 0, -1),
	[JMX_REMOVE_LISTENERS] = JMX(CONNECTION, 0x23604b280b8bbe96u, READS,
		"removeNotificationListeners",
		"(" NAME "[Ljava/lang/Integer;" WHOM ")V", "ooo", 0, -1),
	[JMX_CLOSE] = JMX(CONNECTION, 0xbe2e5bc7809d0dccu, READS, "close",
		"()V", "", -1, -1),
	[JMX_ADD_LISTENER] = JMX(CONNECTION, 0x88f3b1814f68ccebu, CHANGES,
		"addNotificationListener",
		"(" NAME NAME WRAP WRAP WHOM ")V", "ooooo", 0, -1),
	[JMX_REMOVE_LISTENER] = JMX(CONNECTION, 0x5ba8aee8fa8e0529u, CHANGES,
		"removeNotificationListener",
		"(" NAME NAME WHOM ")V", "ooo", 0, -1),
	[JMX_REMOVE_LISTENER_OF] = JMX(CONNECTION, 0x23c70088fdb91189u, CHANGES,
		"removeNotificationListener",
		"(" NAME NAME WRAP WRAP WHOM ")V", "ooooo", 0, -1),
	[JMX_SET_ATTRIBUTE] = JMX(CONNECTION, 0x5d845744730afe0cu, CHANGES,
		"setAttribute",
		"(" NAME WRAP WHOM ")V", "ooo", 0, -1),
	[JMX_SET_ATTRIBUTES] = JMX(CONNECTION, 0xfccd348c60ef0ee4u, CHANGES,
		"setAttributes",
		"(" NAME WRAP WHOM ")Ljavax/management/AttributeList;",
		"ooo", 0, -1),
	[JMX_UNREGISTER] = JMX(CONNECTION, 0xfdc958e2c12414d4u, CHANGES,
		"unregisterMBean",
		"(" NAME WHOM ")V", "oo", 0, -1),
	[JMX_CREATE] = JMX(CONNECTION, 0x22d7fd4a906ac8e6u, CHANGES,
		"createMBean",
		"(" STRING NAME WHOM ")" INSTANCE, "ooo", 1, 0),
	[JMX_CREATE_BY_LOADER] = JMX(CONNECTION, 0x878c5407aefc625cu, CHANGES,
		"createMBean",
		"(" STRING NAME NAME WHOM ")" INSTANCE, "oooo", 1, 0),
	[JMX_CREATE_WITH] = JMX(CONNECTION, 0x438dfa6cea1191a2u, CHANGES,
		"createMBean",
		"(" STRING NAME WRAP "[" STRING WHOM ")" INSTANCE,
		"ooooo", 1, 0),
	[JMX_CREATE_WITH_BY_LOADER] = JMX(CONNECTION, 0xa4567c41a6370b8fu, CHANGES,
		"createMBean",
		"(" STRING NAME NAME WRAP "[" STRING WHOM ")" INSTANCE,
		"oooooo", 1, 0),
	[JMX_INVOKE_OPERATION] = JMX(CONNECTION, 0x13e7d69417e5da20u, INVOKES,
		"invoke",
		"(" NAME STRING WRAP "[" STRING WHOM ")" OBJECT, "ooooo", 0, 1),
};
/* clang-format on */

const struct method *method_find(enum method_interface interface,
				 int32_t operation, uint64_t hash)
{
	for (size_t i = 0; i < JMX_METHODS; i++)
		if (jmx_methods[i].interface == interface &&
		    jmx_methods[i].hash == hash &&
		    jmx_methods[i].operation == operation)
			return &jmx_methods[i];
	return NULL;
}

const struct method *method_find_jmx(uint64_t hash)
{
	const struct method *m = method_find(METHOD_OF_SERVER, -1, hash);

	return m ? m : method_find(METHOD_OF_CONNECTION, -1, hash);
}

bool method_is_void(enum jmx_method method)
{
	const char *descriptor = jmx_methods[method].descriptor;

	return strcmp(strchr(descriptor, ')'), ")V") == 0;
}

void jmx_add_call(struct text *out, const struct jrmp_id *object,
		  enum jmx_method method)
{
	jrmp_add_call(out, object, jmx_methods[method].operation,
		      jmx_methods[method].hash);
}
