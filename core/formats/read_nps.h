/* SPDX-License-Identifier: Apache-2.0 */
/* read_nps: reading snapshots that are parts of an archive. */
#ifndef CORE_FORMATS_READ_NPS_H
#define CORE_FORMATS_READ_NPS_H

#include "core/base/error.h"
#include "core/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Does the same as read() of nps_reader, with a maximum of bytes that come out
 * of the snapshot's compressed data: *room, from which they are taken. Fails
 * with ERROR_INPUT if there would be more; then *room becomes 0.
 */
int nps_read_within(const uint8_t *bytes, size_t len, size_t *room,
		    struct profile *p, struct error *err);

#endif
