/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/process.h"

#include "cmd/main_name.h"
#include "core/base/clock.h"
#include "core/jvm/secrets.h"

#include <inttypes.h>
#include <string.h>

int process_init(struct process *p, const struct jvm *jvm, bool show_secrets,
		 struct error *err)
{
	*p = (struct process){ .jvm = jvm, .show_secrets = show_secrets };
	if (jvm_about(jvm, &p->about, err))
		return -1;
	main_name_of(jvm, &p->about, &p->main);
	return 0;
}

void process_release(struct process *p)
{
	jvm_about_release(&p->about);
	text_release(&p->main);
}

void process_word(const struct process *p, char *const *words, size_t i,
		  struct text *out)
{
	if (p->show_secrets)
		text_puts(out, words[i]);
	else
		secrets_add_arg(out, i ? words[i - 1] : NULL, words[i]);
}

void process_args(const struct process *p, struct text *out)
{
	char *const *words = p->about.args;

	for (size_t i = 0; words && words[i]; i++) {
		if (i)
			text_putc(out, ' ');
		process_word(p, words, i, out);
	}
}

void process_description(const struct process *p, struct text *out)
{
	char *const *words = p->about.args;

	text_add(out, p->main.bytes, p->main.len);
	for (size_t i = 0; words && words[i]; i++)
		text_printf(out, " %s", words[i]);
}

static void visit_known(process_property_fn *visit, void *self,
			const char *name, const char *value)
{
	if (value)
		visit(self, name, strlen(name), value);
}

void process_properties(const struct process *p, process_property_fn *visit,
			void *self)
{
	const struct jvm_about *about = &p->about;
	struct text command = { 0 };

	process_description(p, &command);
	visit_known(visit, self, "java.version", about->version);
	visit_known(visit, self, "java.vm.name", about->vm_name);
	visit_known(visit, self, "java.vm.vendor", about->vm_vendor);
	visit_known(visit, self, "java.home", about->java_home);
	visit_known(visit, self, "user.name", about->user);
	visit_known(visit, self, "sun.java.command", command.bytes);
	text_release(&command);
	for (size_t i = 0; about->vm_args && about->vm_args[i]; i++) {
		const char *arg = about->vm_args[i];
		const char *end = strchrnul(arg, '=');

		if (strncmp(arg, "-D", 2) == 0)
			visit(self, arg + 2, (size_t)(end - arg) - 2,
			      *end ? end + 1 : "");
	}
}

struct wanted {
	const char *name;
	struct text *value;
	bool found;
};

static void keep_wanted(void *self, const char *name, size_t len,
			const char *value)
{
	struct wanted *w = self;

	if (strlen(w->name) != len || memcmp(w->name, name, len) != 0)
		return;
	text_clear(w->value);
	text_puts(w->value, value);
	w->found = true;
}

bool process_property(const struct process *p, const char *name,
		      struct text *out)
{
	struct text value = { 0 };
	struct wanted w = { .name = name, .value = &value };

	process_properties(p, keep_wanted, &w);
	if (w.found && p->show_secrets)
		text_puts(out, value.bytes);
	else if (w.found)
		secrets_add_value(out, name, value.bytes);
	text_release(&value);
	return w.found;
}

/* True for -XX:+Name, -XX:-Name and -XX:Name=value. */
static bool is_flag(const char *arg, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(arg, "-XX:", 4) != 0)
		return false;
	arg += 4;
	if (*arg == '+' || *arg == '-')
		return strcmp(arg + 1, name) == 0;
	return strncmp(arg, name, len) == 0 && arg[len] == '=';
}

bool process_flag(const struct process *p, const char *name, struct text *out)
{
	const char *last = NULL;

	for (size_t i = 0; p->about.vm_args && p->about.vm_args[i]; i++) {
		if (is_flag(p->about.vm_args[i], name))
			last = p->about.vm_args[i];
	}
	if (last)
		text_puts(out, last);
	return last != NULL;
}

void process_add_uptime(struct text *out, int64_t ns)
{
	int64_t s = ns > 0 ? ns / CLOCK_NS_PER_S : 0;

	if (s >= 86400)
		text_printf(out, "%" PRId64 "d %" PRId64 "h", s / 86400,
			    s % 86400 / 3600);
	else if (s >= 3600)
		text_printf(out, "%" PRId64 "h %" PRId64 "m", s / 3600,
			    s % 3600 / 60);
	else if (s >= 60)
		text_printf(out, "%" PRId64 "m %" PRId64 "s", s / 60, s % 60);
	else
		text_printf(out, "%" PRId64 "s", s);
}
