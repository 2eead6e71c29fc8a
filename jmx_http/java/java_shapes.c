/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Class descriptors as java.io.ObjectStreamClass of JDK 17 and 25 has them;
 * both JDKs have the same.
 */
#include "jmx_http/java/java_shapes.h"

/* clang-format off */
const struct java_shape java_shape_throwable = {
	.name = "java.lang.Throwable", .suid = 0xd5c635273977b8cbu,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
	.fields = {
		{ 'L', "cause", "Ljava/lang/Throwable;" },
		{ 'L', "detailMessage", "Ljava/lang/String;" },
		{ '[', "stackTrace", "[Ljava/lang/StackTraceElement;" },
		{ 'L', "suppressedExceptions", "Ljava/util/List;" }
	},
};
const struct java_shape java_shape_exception = {
	.name = "java.lang.Exception", .suid = 0xd0fd1f3e1a3b1cc4u,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_throwable,
};
const struct java_shape java_shape_jm_exception = {
	.name = "javax.management.JMException", .suid = 0x04dd4cec939d7e71u,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_exception,
};
const struct java_shape java_shape_operations_exception = {
	.name = "javax.management.OperationsException", .suid = 0xbb0f8c4e68566a68u,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_jm_exception,
};
const struct java_shape java_shape_instance_not_found_exception = {
	.name = "javax.management.InstanceNotFoundException", .suid = 0xf3c072ad486a71c7u,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_operations_exception,
};
const struct java_shape java_shape_attribute_not_found_exception = {
	.name = "javax.management.AttributeNotFoundException", .suid = 0x5a5dcb5e38fd7f6eu,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_operations_exception,
};
const struct java_shape java_shape_invalid_attribute_value_exception = {
	.name = "javax.management.InvalidAttributeValueException", .suid = 0x1e0a1aa7e57f7bb1u,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_operations_exception,
};
const struct java_shape java_shape_reflection_exception = {
	.name = "javax.management.ReflectionException", .suid = 0x7f45427e1d6d9161u,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'L', "exception", "Ljava/lang/Exception;" }
	},
	.super = &java_shape_jm_exception,
};
const struct java_shape java_shape_mbean_exception = {
	.name = "javax.management.MBeanException", .suid = 0x386e8ce56e5731ceu,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'L', "exception", "Ljava/lang/Exception;" }
	},
	.super = &java_shape_jm_exception,
};
const struct java_shape java_shape_runtime_exception = {
	.name = "java.lang.RuntimeException", .suid = 0x9e5f06470a3483e5u,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_exception,
};
const struct java_shape java_shape_jm_runtime_exception = {
	.name = "javax.management.JMRuntimeException", .suid = 0x5b39361cca78b445u,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_runtime_exception,
};
const struct java_shape java_shape_runtime_mbean_exception = {
	.name = "javax.management.RuntimeMBeanException", .suid = 0x49344133431bdbbbu,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'L', "runtimeException", "Ljava/lang/RuntimeException;" }
	},
	.super = &java_shape_jm_runtime_exception,
};
const struct java_shape java_shape_error = {
	.name = "java.lang.Error", .suid = 0x451d36568b820e56u,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_throwable,
};
const struct java_shape java_shape_runtime_error_exception = {
	.name = "javax.management.RuntimeErrorException", .suid = 0x09c650883a4cd664u,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'L', "error", "Ljava/lang/Error;" }
	},
	.super = &java_shape_jm_runtime_exception,
};
const struct java_shape java_shape_runtime_operations_exception = {
	.name = "javax.management.RuntimeOperationsException", .suid = 0x8b4d810a6ad0a3ecu,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'L', "runtimeException", "Ljava/lang/RuntimeException;" }
	},
	.super = &java_shape_jm_runtime_exception,
};
const struct java_shape java_shape_listener_not_found_exception = {
	.name = "javax.management.ListenerNotFoundException", .suid = 0x9b7d1860a0c7b86bu,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_operations_exception,
};
const struct java_shape java_shape_unsupported_operation_exception = {
	.name = "java.lang.UnsupportedOperationException", .suid = 0xeec165e712838b7fu,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_runtime_exception,
};
const struct java_shape java_shape_illegal_argument_exception = {
	.name = "java.lang.IllegalArgumentException", .suid = 0xb58973d37d668fbcu,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_runtime_exception,
};
const struct java_shape java_shape_illegal_state_exception = {
	.name = "java.lang.IllegalStateException", .suid = 0xe65755e69a46f248u,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_runtime_exception,
};
const struct java_shape java_shape_null_pointer_exception = {
	.name = "java.lang.NullPointerException", .suid = 0x47a5a18eff31e1b8u,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_runtime_exception,
};
const struct java_shape java_shape_class_cast_exception = {
	.name = "java.lang.ClassCastException", .suid = 0x800005cece67e55cu,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_runtime_exception,
};
const struct java_shape java_shape_index_out_of_bounds_exception = {
	.name = "java.lang.IndexOutOfBoundsException", .suid = 0x033fc59fdab42b27u,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_runtime_exception,
};
const struct java_shape java_shape_number_format_exception = {
	.name = "java.lang.NumberFormatException", .suid = 0xd876893ffb8cea12u,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_illegal_argument_exception,
};
const struct java_shape java_shape_security_exception = {
	.name = "java.lang.SecurityException", .suid = 0x5f74dc826f65d637u,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_runtime_exception,
};
const struct java_shape java_shape_reflective_operation_exception = {
	.name = "java.lang.ReflectiveOperationException", .suid = 0x00000000075bcd15u,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_exception,
};
const struct java_shape java_shape_no_such_method_exception = {
	.name = "java.lang.NoSuchMethodException", .suid = 0x45ddbd9e5ec605dbu,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_reflective_operation_exception,
};
const struct java_shape java_shape_io_exception = {
	.name = "java.io.IOException", .suid = 0x6c8073646525f0abu,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_exception,
};
const struct java_shape java_shape_remote_exception = {
	.name = "java.rmi.RemoteException", .suid = 0xb88c9d4edee47a22u,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'L', "detail", "Ljava/lang/Throwable;" }
	},
	.super = &java_shape_io_exception,
};
const struct java_shape java_shape_no_such_object_exception = {
	.name = "java.rmi.NoSuchObjectException", .suid = 0x5bdcd18c01045019u,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_remote_exception,
};
const struct java_shape java_shape_not_bound_exception = {
	.name = "java.rmi.NotBoundException", .suid = 0xe637f9a72d7c3afbu,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_exception,
};
const struct java_shape java_shape_access_exception = {
	.name = "java.rmi.AccessException", .suid = 0x57a31f0978c5d8c8u,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_remote_exception,
};
const struct java_shape java_shape_connect_exception = {
	.name = "java.rmi.ConnectException", .suid = 0x437ecd31cad3515au,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_remote_exception,
};
const struct java_shape java_shape_number = {
	.name = "java.lang.Number", .suid = 0x86ac951d0b94e08bu,
	.flags = JAVA_SERIALIZABLE,
};
const struct java_shape java_shape_big_integer = {
	.name = "java.math.BigInteger", .suid = 0x8cfc9f1fa93bfb1du,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
	.fields = {
		{ 'I', "bitCount", NULL },
		{ 'I', "bitLength", NULL },
		{ 'I', "firstNonzeroByteNum", NULL },
		{ 'I', "lowestSetBit", NULL },
		{ 'I', "signum", NULL },
		{ '[', "magnitude", "[B" }
	},
	.super = &java_shape_number,
};
const struct java_shape java_shape_big_decimal = {
	.name = "java.math.BigDecimal", .suid = 0x54c71557f981284fu,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
	.fields = {
		{ 'I', "scale", NULL },
		{ 'L', "intVal", "Ljava/math/BigInteger;" }
	},
	.super = &java_shape_number,
};
const struct java_shape java_shape_date = {
	.name = "java.util.Date", .suid = 0x686a81014b597419u,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
};
const struct java_shape java_shape_object_name = {
	.name = "javax.management.ObjectName", .suid = 0x0f03a71beb6d15cfu,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
};
const struct java_shape java_shape_boolean = {
	.name = "java.lang.Boolean", .suid = 0xcd207280d59cfaeeu,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'Z', "value", NULL }
	},
};
const struct java_shape java_shape_character = {
	.name = "java.lang.Character", .suid = 0x348b47d96b1a2678u,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'C', "value", NULL }
	},
};
const struct java_shape java_shape_byte = {
	.name = "java.lang.Byte", .suid = 0x9c4e6084ee50f51cu,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'B', "value", NULL }
	},
	.super = &java_shape_number,
};
const struct java_shape java_shape_short = {
	.name = "java.lang.Short", .suid = 0x684d37133460da52u,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'S', "value", NULL }
	},
	.super = &java_shape_number,
};
const struct java_shape java_shape_integer = {
	.name = "java.lang.Integer", .suid = 0x12e2a0a4f7818738u,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'I', "value", NULL }
	},
	.super = &java_shape_number,
};
const struct java_shape java_shape_long = {
	.name = "java.lang.Long", .suid = 0x3b8be490cc8f23dfu,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'J', "value", NULL }
	},
	.super = &java_shape_number,
};
const struct java_shape java_shape_float = {
	.name = "java.lang.Float", .suid = 0xdaedc9a2db3cf0ecu,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'F', "value", NULL }
	},
	.super = &java_shape_number,
};
const struct java_shape java_shape_double = {
	.name = "java.lang.Double", .suid = 0x80b3c24a296bfb04u,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'D', "value", NULL }
	},
	.super = &java_shape_number,
};
const struct java_shape java_shape_array_list = {
	.name = "java.util.ArrayList", .suid = 0x7881d21d99c7619du,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
	.fields = {
		{ 'I', "size", NULL }
	},
};
const struct java_shape java_shape_hash_set = {
	.name = "java.util.HashSet", .suid = 0xba44859596b8b734u,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
};
const struct java_shape java_shape_hash_map = {
	.name = "java.util.HashMap", .suid = 0x0507dac1c31660d1u,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
	.fields = {
		{ 'F', "loadFactor", NULL },
		{ 'I', "threshold", NULL }
	},
};
const struct java_shape java_shape_linked_hash_map = {
	.name = "java.util.LinkedHashMap", .suid = 0x34c04e5c106cc0fbu,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'Z', "accessOrder", NULL }
	},
	.super = &java_shape_hash_map,
};
const struct java_shape java_shape_tree_map = {
	.name = "java.util.TreeMap", .suid = 0x0cc1f63e2d256ae6u,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
	.fields = {
		{ 'L', "comparator", "Ljava/util/Comparator;" }
	},
};
const struct java_shape java_shape_attribute = {
	.name = "javax.management.Attribute", .suid = 0x2279b907538b3b0eu,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'L', "name", "Ljava/lang/String;" },
		{ 'L', "value", "Ljava/lang/Object;" }
	},
};
const struct java_shape java_shape_attribute_list = {
	.name = "javax.management.AttributeList", .suid = 0xc76b48181b48606cu,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_array_list,
};
const struct java_shape java_shape_object_instance = {
	.name = "javax.management.ObjectInstance", .suid = 0xc71a0acfad287b76u,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'L', "className", "Ljava/lang/String;" },
		{ 'L', "name", "Ljavax/management/ObjectName;" }
	},
};
const struct java_shape java_shape_mbean_info = {
	.name = "javax.management.MBeanInfo", .suid = 0xa6795e2f085689c9u,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
	.fields = {
		{ '[', "attributes", "[Ljavax/management/MBeanAttributeInfo;" },
		{ 'L', "className", "Ljava/lang/String;" },
		{ '[', "constructors", "[Ljavax/management/MBeanConstructorInfo;" },
		{ 'L', "description", "Ljava/lang/String;" },
		{ '[', "notifications", "[Ljavax/management/MBeanNotificationInfo;" },
		{ '[', "operations", "[Ljavax/management/MBeanOperationInfo;" }
	},
};
const struct java_shape java_shape_mbean_feature_info = {
	.name = "javax.management.MBeanFeatureInfo", .suid = 0x36db75dcc2c15521u,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
	.fields = {
		{ 'L', "description", "Ljava/lang/String;" },
		{ 'L', "name", "Ljava/lang/String;" }
	},
};
const struct java_shape java_shape_mbean_attribute_info = {
	.name = "javax.management.MBeanAttributeInfo", .suid = 0x77f8293b6a2944d8u,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'Z', "is", NULL },
		{ 'Z', "isRead", NULL },
		{ 'Z', "isWrite", NULL },
		{ 'L', "attributeType", "Ljava/lang/String;" }
	},
	.super = &java_shape_mbean_feature_info,
};
const struct java_shape java_shape_mbean_operation_info = {
	.name = "javax.management.MBeanOperationInfo", .suid = 0xaa40472295fe839eu,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'I', "impact", NULL },
		{ '[', "signature", "[Ljavax/management/MBeanParameterInfo;" },
		{ 'L', "type", "Ljava/lang/String;" }
	},
	.super = &java_shape_mbean_feature_info,
};
const struct java_shape java_shape_mbean_parameter_info = {
	.name = "javax.management.MBeanParameterInfo", .suid = 0x6725f5acd97b3602u,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'L', "type", "Ljava/lang/String;" }
	},
	.super = &java_shape_mbean_feature_info,
};
const struct java_shape java_shape_mbean_notification_info = {
	.name = "javax.management.MBeanNotificationInfo", .suid = 0xca09baa9dd73fd48u,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ '[', "types", "[Ljava/lang/String;" }
	},
	.super = &java_shape_mbean_feature_info,
};
const struct java_shape java_shape_open_type = {
	.name = "javax.management.openmbean.OpenType", .suid = 0x80641a91e9eade3cu,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'L', "className", "Ljava/lang/String;" },
		{ 'L', "description", "Ljava/lang/String;" },
		{ 'L', "typeName", "Ljava/lang/String;" }
	},
};
const struct java_shape java_shape_simple_type = {
	.name = "javax.management.openmbean.SimpleType", .suid = 0x1ebf4ff8dc657827u,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_open_type,
};
const struct java_shape java_shape_composite_type = {
	.name = "javax.management.openmbean.CompositeType", .suid = 0xb58746eb5a079f42u,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'L', "nameToDescription", "Ljava/util/TreeMap;" },
		{ 'L', "nameToType", "Ljava/util/TreeMap;" }
	},
	.super = &java_shape_open_type,
};
const struct java_shape java_shape_tabular_type = {
	.name = "javax.management.openmbean.TabularType", .suid = 0x5af4bda1c4d6063du,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'L', "indexNames", "Ljava/util/List;" },
		{ 'L', "rowType", "Ljavax/management/openmbean/CompositeType;" }
	},
	.super = &java_shape_open_type,
};
const struct java_shape java_shape_array_type = {
	.name = "javax.management.openmbean.ArrayType", .suid = 0x09ffbef62721878au,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'I', "dimension", NULL },
		{ 'Z', "primitiveArray", NULL },
		{ 'L', "elementType", "Ljavax/management/openmbean/OpenType;" }
	},
	.super = &java_shape_open_type,
};
const struct java_shape java_shape_composite_data_support = {
	.name = "javax.management.openmbean.CompositeDataSupport", .suid = 0x6f12361ad2285a64u,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'L', "compositeType", "Ljavax/management/openmbean/CompositeType;" },
		{ 'L', "contents", "Ljava/util/SortedMap;" }
	},
};
const struct java_shape java_shape_tabular_data_support = {
	.name = "javax.management.openmbean.TabularDataSupport", .suid = 0x4f620ea86b971743u,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'L', "dataMap", "Ljava/util/Map;" },
		{ 'L', "tabularType", "Ljavax/management/openmbean/TabularType;" }
	},
};
const struct java_shape java_shape_notification_result = {
	.name = "javax.management.remote.NotificationResult", .suid = 0x108a1ffe5c2b064fu,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'J', "earliestSequenceNumber", NULL },
		{ 'J', "nextSequenceNumber", NULL },
		{ '[', "targetedNotifications", "[Ljavax/management/remote/TargetedNotification;" }
	},
};
const struct java_shape java_shape_marshalled = {
	.name = "java.rmi.MarshalledObject", .suid = 0x7cbd1e97ed63fc3eu,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'I', "hash", NULL },
		{ '[', "locBytes", "[B" },
		{ '[', "objBytes", "[B" }
	},
};
const struct java_shape java_shape_object_id = {
	.name = "java.rmi.server.ObjID", .suid = 0xa75efa128ddce55cu,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'J', "objNum", NULL },
		{ 'L', "space", "Ljava/rmi/server/UID;" }
	},
};
const struct java_shape java_shape_uid = {
	.name = "java.rmi.server.UID", .suid = 0x0f12700dbf364f12u,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'S', "count", NULL },
		{ 'J', "time", NULL },
		{ 'I', "unique", NULL }
	},
};
const struct java_shape java_shape_vmid = {
	.name = "java.rmi.dgc.VMID", .suid = 0xf8865bafa4a56db6u,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ '[', "addr", "[B" },
		{ 'L', "uid", "Ljava/rmi/server/UID;" }
	},
};
const struct java_shape java_shape_lease = {
	.name = "java.rmi.dgc.Lease", .suid = 0xb0b5e2660c4adc34u,
	.flags = JAVA_SERIALIZABLE,
	.fields = {
		{ 'J', "value", NULL },
		{ 'L', "vmid", "Ljava/rmi/dgc/VMID;" }
	},
};
const struct java_shape java_shape_remote_object = {
	.name = "java.rmi.server.RemoteObject", .suid = 0xd361b4910c61331eu,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
};
const struct java_shape java_shape_remote_stub = {
	.name = "java.rmi.server.RemoteStub", .suid = 0xe9fedcc98be1651au,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_remote_object,
};
const struct java_shape java_shape_server_stub = {
	.name = "javax.management.remote.rmi.RMIServerImpl_Stub", .suid = 2,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_remote_stub,
};
const struct java_shape java_shape_connection_stub = {
	.name = "javax.management.remote.rmi.RMIConnectionImpl_Stub", .suid = 2,
	.flags = JAVA_SERIALIZABLE,
	.super = &java_shape_remote_stub,
};
/* clang-format on */
