/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unsigned5: the coding of integers in HotSpot's compressed streams.
 *
 * A number is one to five bytes, each a digit of base 64 less significant than
 * the next; a byte below a limit ends it (utilities/unsigned5 of HotSpot,
 * code/compressedStream before JDK 20).  From JDK 20 on, zero is no byte of a
 * number: all digits are one more.
 */
#ifndef CORE_HOTSPOT_UNSIGNED5_H
#define CORE_HOTSPOT_UNSIGNED5_H

#include "core/base/cursor.h"

#include <stdint.h>

/*
 * The next number; excluded is how many byte values do not occur, 0 or 1.  The
 * cursor fails where there is none, or a byte that is excluded.
 */
uint32_t unsigned5_read(struct cursor *c, unsigned excluded);

/* The same of a signed number, whose sign is its lowest bit. */
int32_t unsigned5_read_signed(struct cursor *c, unsigned excluded);

#endif
