/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/rmi/jmx_methods.h"

#define NAME   "Ljavax/management/ObjectName;"
#define STRING "Ljava/lang/String;"
#define OBJECT "Ljava/lang/Object;"
#define WRAP   "Ljava/rmi/MarshalledObject;"
/* For whom: always null, JDK 25 takes nothing else. */
#define WHOM      "Ljavax/security/auth/Subject;"

#define BY_METHOD (-1)

void jmx_add_call(struct text *out, const struct jrmp_id *object,
		  enum jmx_method method)
{
	jrmp_add_call(out, object, jmx_methods[method].operation,
		      jmx_methods[method].hash);
}

/* clang-format off */
const struct jmx_method_info jmx_methods[JMX_METHODS] = {
	[JMX_LOOKUP] = { NULL, 0x44154dc9d4e63bdf, 2, false },
	[JMX_DIRTY] = { NULL, 0xf6b6898d8bf28643, 1, false },
	[JMX_GET_VERSION] = {
		"getVersion()" STRING, 0x8fda2350c701988d, BY_METHOD, false },
	[JMX_NEW_CLIENT] = {
		"newClient(" OBJECT ")"
		"Ljavax/management/remote/rmi/RMIConnection;",
		0xf0e074eaad0caea8, BY_METHOD, false },
	[JMX_CLOSE] = { "close()V", 0xbe2e5bc7809d0dcc, BY_METHOD, true },
	[JMX_GET_ATTRIBUTE] = {
		"getAttribute(" NAME STRING WHOM ")" OBJECT,
		0xf0e0500a394d7215, BY_METHOD, false },
	[JMX_GET_ATTRIBUTES] = {
		"getAttributes(" NAME "[" STRING WHOM ")"
		"Ljavax/management/AttributeList;",
		0x5739d96a8b235c47, BY_METHOD, false },
	[JMX_SET_ATTRIBUTE] = {
		"setAttribute(" NAME WRAP WHOM ")V",
		0x5d845744730afe0c, BY_METHOD, true },
	[JMX_INVOKE_OPERATION] = {
		"invoke(" NAME STRING WRAP "[" STRING WHOM ")" OBJECT,
		0x13e7d69417e5da20, BY_METHOD, false },
	[JMX_QUERY_NAMES] = {
		"queryNames(" NAME WRAP WHOM ")Ljava/util/Set;",
		0x7f0473acb73677da, BY_METHOD, false },
	[JMX_GET_MBEAN_INFO] = {
		"getMBeanInfo(" NAME WHOM ")Ljavax/management/MBeanInfo;",
		0x993cd0f9b9817af6, BY_METHOD, false },
	[JMX_GET_MBEAN_COUNT] = {
		"getMBeanCount(" WHOM ")Ljava/lang/Integer;",
		0xe3a812879dc32ea5, BY_METHOD, false },
	[JMX_GET_DEFAULT_DOMAIN] = {
		"getDefaultDomain(" WHOM ")" STRING,
		0x53eda2d82e1bdfa8, BY_METHOD, false },
	[JMX_ADD_LISTENERS] = {
		"addNotificationListeners([" NAME "[" WRAP "[" WHOM ")"
		"[Ljava/lang/Integer;",
		0xb6258d6e656d6eef, BY_METHOD, false },
	[JMX_FETCH_NOTIFICATIONS] = {
		"fetchNotifications(JIJ)"
		"Ljavax/management/remote/NotificationResult;",
		0xba171f3dc87c75e2, BY_METHOD, false },
};
/* clang-format on */
