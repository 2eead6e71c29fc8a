/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/report_format.h"

#include "cmd/shared/command.h"
#include "cmd/shared/flame_output.h"

#include <string.h>

#define EXTENSIONS 4

int report_format_choose(const struct report_format *f, const char *output,
			 struct error *err)
{
	const struct {
		const char *extension;
		bool *selected;
	} known[EXTENSIONS] = {
		{ ".html", f->page },
		{ ".htm", f->page },
		{ ".json", f->json },
		{ ".csv", f->csv },
	};
	const char *dot = flame_output_extension(output);
	bool csv = f->csv && *f->csv, json = f->json && *f->json;

	for (size_t i = 0; i < EXTENSIONS; i++) {
		bool *selected = known[i].selected;

		if (!selected || strcmp(known[i].extension, dot) != 0)
			continue;
		if ((csv || json) && !*selected)
			return misuse(err,
				      "%s contradicts the extension of -o %s",
				      csv ? "--csv" : "--json", output);
		*selected = true;
		return 0;
	}
	if (csv || json || !*dot || strcmp(dot, ".txt") == 0)
		return 0;
	return misuse(err, "%s: unknown extension %s; use %s%s%sor .txt",
		      output, dot, f->page ? ".html, " : "",
		      f->json ? f->csv || f->page ? ".json, " : ".json " : "",
		      f->csv ? ".csv " : "");
}
