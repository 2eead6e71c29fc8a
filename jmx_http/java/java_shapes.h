/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_shapes: descriptors of the Java classes that MBean servers return.
 */
#ifndef JMX_HTTP_JAVA_JAVA_SHAPES_H
#define JMX_HTTP_JAVA_JAVA_SHAPES_H

#include "jmx_http/java/java_value.h"

#include <stdint.h>

struct java_shape_field {
	char type; /* as in java_field */
	const char *name;
	const char *signature; /* of L and [; else NULL */
};

/* A class descriptor, with the fields in their order on the wire. */
struct java_shape {
	const char *name;
	uint64_t suid;
	uint8_t flags;                     /* of java_class_flags */
	struct java_shape_field fields[6]; /* ends before a NULL name */
	const struct java_shape *super;    /* or NULL */
};

/* clang-format off */
extern const struct java_shape
	java_shape_throwable,
	java_shape_exception,
	java_shape_jm_exception,
	java_shape_operations_exception,
	java_shape_instance_not_found_exception,
	java_shape_attribute_not_found_exception,
	java_shape_invalid_attribute_value_exception,
	java_shape_reflection_exception,
	java_shape_mbean_exception,
	java_shape_runtime_exception,
	java_shape_jm_runtime_exception,
	java_shape_runtime_mbean_exception,
	java_shape_error,
	java_shape_runtime_error_exception,
	java_shape_runtime_operations_exception,
	java_shape_listener_not_found_exception,
	java_shape_unsupported_operation_exception,
	java_shape_illegal_argument_exception,
	java_shape_illegal_state_exception,
	java_shape_null_pointer_exception,
	java_shape_class_cast_exception,
	java_shape_index_out_of_bounds_exception,
	java_shape_number_format_exception,
	java_shape_security_exception,
	java_shape_reflective_operation_exception,
	java_shape_no_such_method_exception,
	java_shape_io_exception,
	java_shape_remote_exception,
	java_shape_no_such_object_exception,
	java_shape_not_bound_exception,
	java_shape_access_exception,
	java_shape_connect_exception,
	java_shape_number,
	java_shape_big_integer,
	java_shape_big_decimal,
	java_shape_date,
	java_shape_object_name,
	java_shape_boolean,
	java_shape_character,
	java_shape_byte,
	java_shape_short,
	java_shape_integer,
	java_shape_long,
	java_shape_float,
	java_shape_double,
	java_shape_array_list,
	java_shape_hash_set,
	java_shape_hash_map,
	java_shape_linked_hash_map,
	java_shape_tree_map,
	java_shape_attribute,
	java_shape_attribute_list,
	java_shape_object_instance,
	java_shape_mbean_info,
	java_shape_mbean_feature_info,
	java_shape_mbean_attribute_info,
	java_shape_mbean_operation_info,
	java_shape_mbean_parameter_info,
	java_shape_mbean_notification_info,
	java_shape_open_type,
	java_shape_simple_type,
	java_shape_composite_type,
	java_shape_tabular_type,
	java_shape_array_type,
	java_shape_composite_data_support,
	java_shape_tabular_data_support,
	java_shape_notification_result,
	java_shape_marshalled,
	java_shape_object_id,
	java_shape_uid,
	java_shape_vmid,
	java_shape_lease,
	java_shape_remote_object,
	java_shape_remote_stub,
	java_shape_server_stub,
	java_shape_connection_stub;
/* clang-format on */

#endif
