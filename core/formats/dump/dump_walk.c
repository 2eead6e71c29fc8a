/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/dump/dump_walk.h"

int dump_walk(struct dump_walk *w, const struct dump_steps *steps,
	      const uint8_t *bytes, size_t len, struct profile *p,
	      struct error *err)
{
	struct line line;
	int ret = 0;

	thread_dump_init(&w->dump, p);
	dump_lines_init(&w->lines, bytes, len);
	while (dump_lines_next(&w->lines, &line))
		steps->line(w, line);
	steps->end(w);
	thread_dump_finish(&w->dump);
	if (!w->dump.threads)
		ret = fail(err, ERROR_INPUT, "%s", steps->nothing);
	dump_lines_release(&w->lines);
	thread_dump_release(&w->dump);
	return ret;
}
