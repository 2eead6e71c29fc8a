/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_settings: what a chunk says of how its samples were taken.
 *
 * The JDK and async-profiler write an event jdk.ActiveSetting {id of an event
 * type, name, value} for each setting, and the JDK one jdk.BooleanFlag for each
 * flag of the JVM that is a boolean and can be changed: diagnostic ones such as
 * DebugNonSafepoints only where -XX:+UnlockDiagnosticVMOptions was given.
 */
#ifndef CORE_FORMATS_JFR_JFR_SETTINGS_H
#define CORE_FORMATS_JFR_JFR_SETTINGS_H

#include "core/base/cursor.h"
#include "core/formats/jfr/jfr_layout.h"
#include "core/formats/jfr/jfr_metadata.h"
#include "core/formats/jfr/jfr_pool.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct jfr_settings {
	struct profile *profile;
	const struct jfr_metadata *metadata;
	const struct jfr_pools *pools;
	/* Of a type that the chunk does not have the layout is empty. */
	uint64_t setting_type, flag_type;
	struct jfr_layout setting, flag;
	uint64_t flags; /* that were read */
	bool debug_non_safepoints;
};

/* All are borrowed. */
void jfr_settings_begin(struct jfr_settings *js, struct profile *p,
			const struct jfr_pools *pools,
			const struct jfr_metadata *m);

static inline bool jfr_settings_wants(const struct jfr_settings *js,
				      uint64_t type_id)
{
	return (type_id == js->setting_type && js->setting.ops) ||
	       (type_id == js->flag_type && js->flag.ops);
}

/*
 * Reads one event, c standing behind its type id, into profile_set().  What
 * async-profiler was asked to sample becomes the setting "event" of the event
 * "", its own version "version".
 */
void jfr_settings_read(struct jfr_settings *js, uint64_t type_id,
		       struct cursor c);

/*
 * All events have been read.  Where flags were among them, DebugNonSafepoints
 * becomes a setting of the event "", "false" when it was not there.
 */
void jfr_settings_end(struct jfr_settings *js);

/* Forgets the chunk.  Zeroed storage is fine. */
void jfr_settings_release(struct jfr_settings *js);

#endif
