/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_table: reads one chunk's events of a type into a table.
 *
 * Nothing is known of the type but its metadata: texts are strings and names
 * in constant pools, values what an annotation calls a time span or an amount
 * of data.
 */
#ifndef CORE_FORMATS_JFR_JFR_TABLE_H
#define CORE_FORMATS_JFR_JFR_TABLE_H

#include "core/base/cursor.h"
#include "core/formats/jfr/jfr_metadata.h"
#include "core/formats/jfr/jfr_pool.h"
#include "core/profile/event_table.h"

struct jfr_clock;
struct jfr_table; /* private: how one type of event is read */

/* NULL when the type's events cannot be read. */
struct jfr_table *jfr_table_new(struct profile *p, struct jfr_pools *pools,
				const struct jfr_metadata *m,
				const struct jfr_type *t);

/* Reads one event: c stands behind its type id.  False when it is damaged. */
bool jfr_table_read(struct jfr_table *jt, const struct jfr_clock *clock,
		    struct cursor c);

void jfr_table_free(struct jfr_table *jt); /* NULL is fine */

#endif
