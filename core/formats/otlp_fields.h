/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Field numbers of OpenTelemetry's profiles, by message (opentelemetry-proto
 * 1.10 and 1.11, profiles/v1development/profiles.proto).
 */
#ifndef CORE_FORMATS_OTLP_FIELDS_H
#define CORE_FORMATS_OTLP_FIELDS_H

/* ExportProfilesServiceRequest, and ProfilesData of a file. */
enum { REQUEST_RESOURCES = 1, REQUEST_DICTIONARY = 2 };
enum { RESOURCES_RESOURCE = 1, RESOURCES_SCOPES = 2 };
enum { SCOPES_SCOPE = 1, SCOPES_PROFILES = 2 };
enum { SCOPE_NAME = 1, SCOPE_VERSION = 2 };
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLES = 2,
	PROFILE_TIME = 3,
	PROFILE_DURATION = 4,
	PROFILE_PERIOD_TYPE = 5,
	PROFILE_PERIOD = 6,
};
enum { TYPE_NAME = 1, TYPE_UNIT = 2 };
enum {
	SAMPLE_STACK = 1,
	SAMPLE_ATTRIBUTES = 2,
	SAMPLE_VALUES = 4,
	SAMPLE_TIMES = 5,
};
enum { STACK_LOCATIONS = 1 };
enum { LOCATION_MAPPING = 1, LOCATION_LINES = 3, LOCATION_ATTRIBUTES = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_NAME = 1 };
enum { MAPPING_FILENAME = 4 };
/* KeyValueAndUnit: an entry of the table of attributes. */
enum { ENTRY_KEY = 1, ENTRY_VALUE = 2 };
enum { KEY_VALUE_KEY = 1, KEY_VALUE_VALUE = 2 };
enum { VALUE_STRING = 1, VALUE_INT = 3 };

/* The tables of the dictionary. */
enum otlp_table {
	TABLE_MAPPING = 1,
	TABLE_LOCATION = 2,
	TABLE_FUNCTION = 3,
	TABLE_LINK = 4,
	TABLE_STRING = 5,
	TABLE_ATTRIBUTE = 6,
	TABLE_STACK = 7,
	OTLP_TABLES
};

#endif
