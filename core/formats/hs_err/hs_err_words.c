/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/ascii.h"
#include "core/formats/hs_err/hs_err_parser.h"

#include <string.h>

bool line_after(struct line line, const char *needle, struct line *rest)
{
	size_t len = strlen(needle);
	const char *found = line.len ? memmem(line.text, line.len, needle, len)
				     : NULL;

	if (!found)
		return false;
	*rest = line;
	rest->len -= (size_t)(found - line.text) + len;
	rest->text = found + len;
	return true;
}

struct line line_skip(struct line line, size_t count)
{
	if (count > line.len)
		count = line.len;
	return (struct line){ line.text + count, line.len - count };
}

struct line line_before(struct line line, const char *needle)
{
	const char *found = line.len ? memmem(line.text, line.len, needle,
					      strlen(needle))
				     : NULL;

	if (found)
		line.len = (size_t)(found - line.text);
	return line;
}

struct line line_word(struct line *rest)
{
	*rest = line_trimmed(*rest);
	return line_cut(rest, ' ');
}

/* Reads digits of a base, at most 64 bits; false if there are none. */
static bool line_digits(struct line *rest, unsigned base, uint64_t *number)
{
	size_t count = 0;

	*number = 0;
	while (count < rest->len) {
		int digit = hex_digit(rest->text[count]);

		if (digit < 0 || (unsigned)digit >= base ||
		    *number > (UINT64_MAX - 15) / base)
			break;
		*number = *number * base + (unsigned)digit;
		count++;
	}
	*rest = line_skip(*rest, count);
	return count > 0;
}

bool line_decimal(struct line *rest, uint64_t *number)
{
	return line_digits(rest, 10, number);
}

bool line_hex(struct line *rest, uint64_t *number)
{
	if (line_starts(*rest, "0x"))
		*rest = line_skip(*rest, 2);
	return line_digits(rest, 16, number);
}

bool line_size(struct line *rest, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	struct line unit;
	const char *at;
	int shift = 0;

	if (!line_decimal(rest, bytes))
		return false;
	unit = line_trimmed(*rest);
	at = unit.len ? strchr(units, unit.text[0] & ~0x20) : NULL;
	if (at && *at &&
	    (unit.len == 1 || !is_letter(unit.text[1]) ||
	     (unit.text[1] | 0x20) == 'b')) {
		shift = 10 * (int)(at - units + 1);
		*rest = line_skip(unit, 1);
	}
	if (*bytes > HS_ERR_ABSENT >> (shift + 1))
		*bytes = HS_ERR_ABSENT - 1;
	else
		*bytes <<= shift;
	return true;
}

double line_seconds(struct line line)
{
	uint64_t whole, fraction = 0;
	double scale = 1;

	line = line_trimmed(line);
	if (!line_decimal(&line, &whole))
		return -1;
	line.len = line.len < 10 ? line.len : 10;
	if (line_starts(line, ".")) {
		size_t before = (line = line_skip(line, 1)).len;

		line_decimal(&line, &fraction);
		for (size_t i = line.len; i < before; i++)
			scale *= 10;
	}
	return (double)whole + (double)fraction / scale;
}
