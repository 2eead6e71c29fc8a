/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Class descriptors as java.io.ObjectStreamClass of JDK 17 and 25 has them;
 * both JDKs have the same.
 */
#include "jmx_http/java/java_shapes.h"

#define WRITES (JAVA_SERIALIZABLE | JAVA_WRITE_METHOD)

#define CLASS(id, class, number, bits, parent)                                 \
	const struct java_shape java_shape_##id = {                            \
		.name = class, .suid = number, .flags = bits, .super = parent  \
	}
/* With fields, in their order on the wire. */
#define CLASS_OF(id, class, number, bits, parent, ...)                         \
	const struct java_shape java_shape_##id = { .name = class,             \
						    .suid = number,            \
						    .flags = bits,             \
						    .super = parent,           \
						    .fields = {                \
							    __VA_ARGS__ } }

/* clang-format off */
CLASS_OF(throwable, "java.lang.Throwable", 0xd5c635273977b8cbu,
	WRITES, NULL,
	{ 'L', "cause", "Ljava/lang/Throwable;" },
	{ 'L', "detailMessage", "Ljava/lang/String;" },
	{ '[', "stackTrace", "[Ljava/lang/StackTraceElement;" },
	{ 'L', "suppressedExceptions", "Ljava/util/List;" });
CLASS(exception, "java.lang.Exception", 0xd0fd1f3e1a3b1cc4u,
	JAVA_SERIALIZABLE, &java_shape_throwable);
CLASS(jm_exception, "javax.management.JMException", 0x04dd4cec939d7e71u,
	JAVA_SERIALIZABLE, &java_shape_exception);
CLASS(operations_exception, "javax.management.OperationsException", 0xbb0f8c4e68566a68u,
	JAVA_SERIALIZABLE, &java_shape_jm_exception);
CLASS(instance_not_found_exception, "javax.management.InstanceNotFoundException", 0xf3c072ad486a71c7u,
	JAVA_SERIALIZABLE, &java_shape_operations_exception);
CLASS(attribute_not_found_exception, "javax.management.AttributeNotFoundException", 0x5a5dcb5e38fd7f6eu,
	JAVA_SERIALIZABLE, &java_shape_operations_exception);
CLASS(invalid_attribute_value_exception, "javax.management.InvalidAttributeValueException", 0x1e0a1aa7e57f7bb1u,
	JAVA_SERIALIZABLE, &java_shape_operations_exception);
CLASS_OF(reflection_exception, "javax.management.ReflectionException", 0x7f45427e1d6d9161u,
	JAVA_SERIALIZABLE, &java_shape_jm_exception,
	{ 'L', "exception", "Ljava/lang/Exception;" });
CLASS_OF(mbean_exception, "javax.management.MBeanException", 0x386e8ce56e5731ceu,
	JAVA_SERIALIZABLE, &java_shape_jm_exception,
	{ 'L', "exception", "Ljava/lang/Exception;" });
CLASS(runtime_exception, "java.lang.RuntimeException", 0x9e5f06470a3483e5u,
	JAVA_SERIALIZABLE, &java_shape_exception);
CLASS(jm_runtime_exception, "javax.management.JMRuntimeException", 0x5b39361cca78b445u,
	JAVA_SERIALIZABLE, &java_shape_runtime_exception);
CLASS_OF(runtime_mbean_exception, "javax.management.RuntimeMBeanException", 0x49344133431bdbbbu,
	JAVA_SERIALIZABLE, &java_shape_jm_runtime_exception,
	{ 'L', "runtimeException", "Ljava/lang/RuntimeException;" });
CLASS(error, "java.lang.Error", 0x451d36568b820e56u,
	JAVA_SERIALIZABLE, &java_shape_throwable);
CLASS_OF(runtime_error_exception, "javax.management.RuntimeErrorException", 0x09c650883a4cd664u,
	JAVA_SERIALIZABLE, &java_shape_jm_runtime_exception,
	{ 'L', "error", "Ljava/lang/Error;" });
CLASS_OF(runtime_operations_exception, "javax.management.RuntimeOperationsException", 0x8b4d810a6ad0a3ecu,
	JAVA_SERIALIZABLE, &java_shape_jm_runtime_exception,
	{ 'L', "runtimeException", "Ljava/lang/RuntimeException;" });
CLASS(listener_not_found_exception, "javax.management.ListenerNotFoundException", 0x9b7d1860a0c7b86bu,
	JAVA_SERIALIZABLE, &java_shape_operations_exception);
CLASS(unsupported_operation_exception, "java.lang.UnsupportedOperationException", 0xeec165e712838b7fu,
	JAVA_SERIALIZABLE, &java_shape_runtime_exception);
CLASS(illegal_argument_exception, "java.lang.IllegalArgumentException", 0xb58973d37d668fbcu,
	JAVA_SERIALIZABLE, &java_shape_runtime_exception);
CLASS(illegal_state_exception, "java.lang.IllegalStateException", 0xe65755e69a46f248u,
	JAVA_SERIALIZABLE, &java_shape_runtime_exception);
CLASS(null_pointer_exception, "java.lang.NullPointerException", 0x47a5a18eff31e1b8u,
	JAVA_SERIALIZABLE, &java_shape_runtime_exception);
CLASS(class_cast_exception, "java.lang.ClassCastException", 0x800005cece67e55cu,
	JAVA_SERIALIZABLE, &java_shape_runtime_exception);
CLASS(index_out_of_bounds_exception, "java.lang.IndexOutOfBoundsException", 0x033fc59fdab42b27u,
	JAVA_SERIALIZABLE, &java_shape_runtime_exception);
CLASS(number_format_exception, "java.lang.NumberFormatException", 0xd876893ffb8cea12u,
	JAVA_SERIALIZABLE, &java_shape_illegal_argument_exception);
CLASS(security_exception, "java.lang.SecurityException", 0x5f74dc826f65d637u,
	JAVA_SERIALIZABLE, &java_shape_runtime_exception);
CLASS(reflective_operation_exception, "java.lang.ReflectiveOperationException", 0x00000000075bcd15u,
	JAVA_SERIALIZABLE, &java_shape_exception);
CLASS(no_such_method_exception, "java.lang.NoSuchMethodException", 0x45ddbd9e5ec605dbu,
	JAVA_SERIALIZABLE, &java_shape_reflective_operation_exception);
CLASS(io_exception, "java.io.IOException", 0x6c8073646525f0abu,
	JAVA_SERIALIZABLE, &java_shape_exception);
CLASS_OF(remote_exception, "java.rmi.RemoteException", 0xb88c9d4edee47a22u,
	JAVA_SERIALIZABLE, &java_shape_io_exception,
	{ 'L', "detail", "Ljava/lang/Throwable;" });
CLASS(no_such_object_exception, "java.rmi.NoSuchObjectException", 0x5bdcd18c01045019u,
	JAVA_SERIALIZABLE, &java_shape_remote_exception);
CLASS(not_bound_exception, "java.rmi.NotBoundException", 0xe637f9a72d7c3afbu,
	JAVA_SERIALIZABLE, &java_shape_exception);
CLASS(access_exception, "java.rmi.AccessException", 0x57a31f0978c5d8c8u,
	JAVA_SERIALIZABLE, &java_shape_remote_exception);
CLASS(connect_exception, "java.rmi.ConnectException", 0x437ecd31cad3515au,
	JAVA_SERIALIZABLE, &java_shape_remote_exception);
CLASS(number, "java.lang.Number", 0x86ac951d0b94e08bu,
	JAVA_SERIALIZABLE, NULL);
CLASS_OF(big_integer, "java.math.BigInteger", 0x8cfc9f1fa93bfb1du,
	WRITES, &java_shape_number,
	{ 'I', "bitCount", NULL },
	{ 'I', "bitLength", NULL },
	{ 'I', "firstNonzeroByteNum", NULL },
	{ 'I', "lowestSetBit", NULL },
	{ 'I', "signum", NULL },
	{ '[', "magnitude", "[B" });
CLASS_OF(big_decimal, "java.math.BigDecimal", 0x54c71557f981284fu,
	WRITES, &java_shape_number,
	{ 'I', "scale", NULL },
	{ 'L', "intVal", "Ljava/math/BigInteger;" });
CLASS(date, "java.util.Date", 0x686a81014b597419u,
	WRITES, NULL);
CLASS(object_name, "javax.management.ObjectName", 0x0f03a71beb6d15cfu,
	WRITES, NULL);
CLASS_OF(boolean, "java.lang.Boolean", 0xcd207280d59cfaeeu,
	JAVA_SERIALIZABLE, NULL,
	{ 'Z', "value", NULL });
CLASS_OF(character, "java.lang.Character", 0x348b47d96b1a2678u,
	JAVA_SERIALIZABLE, NULL,
	{ 'C', "value", NULL });
CLASS_OF(byte, "java.lang.Byte", 0x9c4e6084ee50f51cu,
	JAVA_SERIALIZABLE, &java_shape_number,
	{ 'B', "value", NULL });
CLASS_OF(short, "java.lang.Short", 0x684d37133460da52u,
	JAVA_SERIALIZABLE, &java_shape_number,
	{ 'S', "value", NULL });
CLASS_OF(integer, "java.lang.Integer", 0x12e2a0a4f7818738u,
	JAVA_SERIALIZABLE, &java_shape_number,
	{ 'I', "value", NULL });
CLASS_OF(long, "java.lang.Long", 0x3b8be490cc8f23dfu,
	JAVA_SERIALIZABLE, &java_shape_number,
	{ 'J', "value", NULL });
CLASS_OF(float, "java.lang.Float", 0xdaedc9a2db3cf0ecu,
	JAVA_SERIALIZABLE, &java_shape_number,
	{ 'F', "value", NULL });
CLASS_OF(double, "java.lang.Double", 0x80b3c24a296bfb04u,
	JAVA_SERIALIZABLE, &java_shape_number,
	{ 'D', "value", NULL });
CLASS_OF(array_list, "java.util.ArrayList", 0x7881d21d99c7619du,
	WRITES, NULL,
	{ 'I', "size", NULL });
CLASS(hash_set, "java.util.HashSet", 0xba44859596b8b734u,
	WRITES, NULL);
CLASS_OF(hash_map, "java.util.HashMap", 0x0507dac1c31660d1u,
	WRITES, NULL,
	{ 'F', "loadFactor", NULL },
	{ 'I', "threshold", NULL });
CLASS_OF(linked_hash_map, "java.util.LinkedHashMap", 0x34c04e5c106cc0fbu,
	JAVA_SERIALIZABLE, &java_shape_hash_map,
	{ 'Z', "accessOrder", NULL });
CLASS_OF(tree_map, "java.util.TreeMap", 0x0cc1f63e2d256ae6u,
	WRITES, NULL,
	{ 'L', "comparator", "Ljava/util/Comparator;" });
CLASS_OF(attribute, "javax.management.Attribute", 0x2279b907538b3b0eu,
	JAVA_SERIALIZABLE, NULL,
	{ 'L', "name", "Ljava/lang/String;" },
	{ 'L', "value", "Ljava/lang/Object;" });
CLASS(attribute_list, "javax.management.AttributeList", 0xc76b48181b48606cu,
	JAVA_SERIALIZABLE, &java_shape_array_list);
CLASS_OF(object_instance, "javax.management.ObjectInstance", 0xc71a0acfad287b76u,
	JAVA_SERIALIZABLE, NULL,
	{ 'L', "className", "Ljava/lang/String;" },
	{ 'L', "name", "Ljavax/management/ObjectName;" });
CLASS_OF(mbean_info, "javax.management.MBeanInfo", 0xa6795e2f085689c9u,
	WRITES, NULL,
	{ '[', "attributes", "[Ljavax/management/MBeanAttributeInfo;" },
	{ 'L', "className", "Ljava/lang/String;" },
	{ '[', "constructors", "[Ljavax/management/MBeanConstructorInfo;" },
	{ 'L', "description", "Ljava/lang/String;" },
	{ '[', "notifications", "[Ljavax/management/MBeanNotificationInfo;" },
	{ '[', "operations", "[Ljavax/management/MBeanOperationInfo;" });
CLASS_OF(mbean_feature_info, "javax.management.MBeanFeatureInfo", 0x36db75dcc2c15521u,
	WRITES, NULL,
	{ 'L', "description", "Ljava/lang/String;" },
	{ 'L', "name", "Ljava/lang/String;" });
CLASS_OF(mbean_attribute_info, "javax.management.MBeanAttributeInfo", 0x77f8293b6a2944d8u,
	JAVA_SERIALIZABLE, &java_shape_mbean_feature_info,
	{ 'Z', "is", NULL },
	{ 'Z', "isRead", NULL },
	{ 'Z', "isWrite", NULL },
	{ 'L', "attributeType", "Ljava/lang/String;" });
CLASS_OF(mbean_operation_info, "javax.management.MBeanOperationInfo", 0xaa40472295fe839eu,
	JAVA_SERIALIZABLE, &java_shape_mbean_feature_info,
	{ 'I', "impact", NULL },
	{ '[', "signature", "[Ljavax/management/MBeanParameterInfo;" },
	{ 'L', "type", "Ljava/lang/String;" });
CLASS_OF(mbean_parameter_info, "javax.management.MBeanParameterInfo", 0x6725f5acd97b3602u,
	JAVA_SERIALIZABLE, &java_shape_mbean_feature_info,
	{ 'L', "type", "Ljava/lang/String;" });
CLASS_OF(mbean_notification_info, "javax.management.MBeanNotificationInfo", 0xca09baa9dd73fd48u,
	JAVA_SERIALIZABLE, &java_shape_mbean_feature_info,
	{ '[', "types", "[Ljava/lang/String;" });
CLASS_OF(open_type, "javax.management.openmbean.OpenType", 0x80641a91e9eade3cu,
	JAVA_SERIALIZABLE, NULL,
	{ 'L', "className", "Ljava/lang/String;" },
	{ 'L', "description", "Ljava/lang/String;" },
	{ 'L', "typeName", "Ljava/lang/String;" });
CLASS(simple_type, "javax.management.openmbean.SimpleType", 0x1ebf4ff8dc657827u,
	JAVA_SERIALIZABLE, &java_shape_open_type);
CLASS_OF(composite_type, "javax.management.openmbean.CompositeType", 0xb58746eb5a079f42u,
	JAVA_SERIALIZABLE, &java_shape_open_type,
	{ 'L', "nameToDescription", "Ljava/util/TreeMap;" },
	{ 'L', "nameToType", "Ljava/util/TreeMap;" });
CLASS_OF(tabular_type, "javax.management.openmbean.TabularType", 0x5af4bda1c4d6063du,
	JAVA_SERIALIZABLE, &java_shape_open_type,
	{ 'L', "indexNames", "Ljava/util/List;" },
	{ 'L', "rowType", "Ljavax/management/openmbean/CompositeType;" });
CLASS_OF(array_type, "javax.management.openmbean.ArrayType", 0x09ffbef62721878au,
	JAVA_SERIALIZABLE, &java_shape_open_type,
	{ 'I', "dimension", NULL },
	{ 'Z', "primitiveArray", NULL },
	{ 'L', "elementType", "Ljavax/management/openmbean/OpenType;" });
CLASS_OF(composite_data_support, "javax.management.openmbean.CompositeDataSupport", 0x6f12361ad2285a64u,
	JAVA_SERIALIZABLE, NULL,
	{ 'L', "compositeType", "Ljavax/management/openmbean/CompositeType;" },
	{ 'L', "contents", "Ljava/util/SortedMap;" });
CLASS_OF(tabular_data_support, "javax.management.openmbean.TabularDataSupport", 0x4f620ea86b971743u,
	JAVA_SERIALIZABLE, NULL,
	{ 'L', "dataMap", "Ljava/util/Map;" },
	{ 'L', "tabularType", "Ljavax/management/openmbean/TabularType;" });
CLASS_OF(notification_result, "javax.management.remote.NotificationResult", 0x108a1ffe5c2b064fu,
	JAVA_SERIALIZABLE, NULL,
	{ 'J', "earliestSequenceNumber", NULL },
	{ 'J', "nextSequenceNumber", NULL },
	{ '[', "targetedNotifications", "[Ljavax/management/remote/TargetedNotification;" });
CLASS_OF(marshalled, "java.rmi.MarshalledObject", 0x7cbd1e97ed63fc3eu,
	JAVA_SERIALIZABLE, NULL,
	{ 'I', "hash", NULL },
	{ '[', "locBytes", "[B" },
	{ '[', "objBytes", "[B" });
CLASS_OF(object_id, "java.rmi.server.ObjID", 0xa75efa128ddce55cu,
	JAVA_SERIALIZABLE, NULL,
	{ 'J', "objNum", NULL },
	{ 'L', "space", "Ljava/rmi/server/UID;" });
CLASS_OF(uid, "java.rmi.server.UID", 0x0f12700dbf364f12u,
	JAVA_SERIALIZABLE, NULL,
	{ 'S', "count", NULL },
	{ 'J', "time", NULL },
	{ 'I', "unique", NULL });
CLASS_OF(vmid, "java.rmi.dgc.VMID", 0xf8865bafa4a56db6u,
	JAVA_SERIALIZABLE, NULL,
	{ '[', "addr", "[B" },
	{ 'L', "uid", "Ljava/rmi/server/UID;" });
CLASS_OF(lease, "java.rmi.dgc.Lease", 0xb0b5e2660c4adc34u,
	JAVA_SERIALIZABLE, NULL,
	{ 'J', "value", NULL },
	{ 'L', "vmid", "Ljava/rmi/dgc/VMID;" });
CLASS(remote_object, "java.rmi.server.RemoteObject", 0xd361b4910c61331eu,
	WRITES, NULL);
CLASS(remote_stub, "java.rmi.server.RemoteStub", 0xe9fedcc98be1651au,
	JAVA_SERIALIZABLE, &java_shape_remote_object);
CLASS(server_stub, "javax.management.remote.rmi.RMIServerImpl_Stub", 2,
	JAVA_SERIALIZABLE, &java_shape_remote_stub);
CLASS(connection_stub, "javax.management.remote.rmi.RMIConnectionImpl_Stub", 2,
	JAVA_SERIALIZABLE, &java_shape_remote_stub);
/* clang-format on */
