/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/why/why.h"

#include "cmd/why/crash.h"
#include "core/base/input.h"
#include "core/base/text.h"
#include "core/formats/hs_err/hs_err.h"

static int crash_write(const struct crash *c, bool json, struct output *out,
		       struct error *err)
{
	struct text text = { 0 };
	int ret;

	if (json)
		crash_write_json(&text, c);
	else
		crash_write_text(&text, c);
	output_write(out, text.bytes, text.len);
	text_release(&text);
	ret = output_check(out, err);
	if (ret == 0 && c->e->is_truncated && !c->e->is_header)
		ret = fail(err, ERROR_PARTIAL, "the log ends early");
	return ret;
}

/* Names other files of a JVM, such as heap dumps. */
static int crash_read(struct hs_err *e, const struct input *in,
		      struct error *err)
{
	struct text name = { 0 };

	if (hs_err_read(e, in->bytes, in->len, err) == 0)
		return 0;
	if (foreign_file_name(&name, in->bytes, in->len))
		fail(err, ERROR_INPUT, "is %s", name.bytes);
	text_release(&name);
	return -1;
}

int why_hs_err(const struct input *in, bool json, struct output *out,
	       struct error *err)
{
	struct hs_err e = { .kind = HS_ERR_UNKNOWN };
	struct crash c;
	int ret = crash_read(&e, in, err);

	if (ret == 0) {
		crash_init(&c, &e, in->name);
		ret = crash_write(&c, json, out, err);
	}
	if (ret)
		fail_in(err, "%s", in->name);
	hs_err_release(&e);
	return ret;
}
