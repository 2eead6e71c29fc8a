/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sjkc completion: prints scripts that complete sjkc's command line in a shell.
 *
 * The scripts run `sjkc --list-options` for each completion, so that they match
 * the installed sjkc. cmd/commands.h describes its fields.
 */
#include "cmd/commands.h"
#include "core/base/nearest.h"
#include "core/base/output.h"

#include <string.h>

/* Commands whose arguments name JVMs. */
#define WITH_JVM                                                               \
	"why|ttop|prof|gc|perfmap|jcmd|jstack|hh|jmap|jstat|vminfo|doctor|mx|" \
	"mxdump|"                                                              \
	"mxping"

/* Commands of HotSpot, JDK 8 to 25: a completion does not attach to a JVM. */
#define DIAGNOSTIC                                                             \
	"help Compiler.codecache GC.class_histogram GC.finalizer_info "        \
	"GC.heap_dump GC.heap_info GC.run JFR.check JFR.configure "            \
	"JFR.dump JFR.start JFR.stop JVMTI.agent_load "                        \
	"ManagementAgent.start_local ManagementAgent.status Thread.print "     \
	"Thread.dump_to_file VM.classloader_stats VM.command_line "            \
	"VM.flags VM.info VM.metaspace VM.native_memory VM.set_flag "          \
	"VM.stringtable VM.system_properties VM.uptime VM.version"

/*
 * Names of JVMs are foreign, and bash executes $(…) in the words of compgen, so
 * that the script passes only names without special characters. zsh and fish
 * quote the names.
 */
/* clang-format off */
static const char bash[] =
	"_sjkc() {\n"
	"	local tab=$'\\t' word=${COMP_WORDS[COMP_CWORD]}\n"
	"	local last=${COMP_WORDS[COMP_CWORD-1]} words= values=\n"
	"	local command letter name value help\n"
	"	while IFS= read -r line; do\n"
	"		command=${line%%$tab*} line=${line#*$tab}\n"
	"		letter=${line%%$tab*} line=${line#*$tab}\n"
	"		name=${line%%$tab*} line=${line#*$tab}\n"
	"		value=${line%%$tab*}\n"
	"		if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	"			[ -n \"$name\" ] || words+=\" $command\"\n"
	"		elif [ \"$command\" = \"${COMP_WORDS[1]}\" ]; then\n"
	"			words+=\" $name\"\n"
	"			case $value in *'|'*)\n"
	"				[ \"$last\" = \"$name\" ] ||\n"
	"					[ \"$last\" = \"$letter\" ] &&\n"
	"					values=${value//'|'/ }\n"
	"			esac\n"
	"		fi\n"
	"	done < <(sjkc --list-options 2>/dev/null)\n"
	"	if [ -n \"$values\" ]; then\n"
	"		words=$values\n"
	"	elif [ \"$COMP_CWORD\" -gt 1 ] && [[ $word != -* ]]; then\n"
	"		words=\n"
	"		case ${COMP_WORDS[1]} in\n"
	"		" WITH_JVM ")\n"
	"			words=$(sjkc jps -l --quiet 2>/dev/null |\n"
	"				tr ' ' '\\n' | LC_ALL=C grep -x \\\n"
	"				'[A-Za-z0-9_./][A-Za-z0-9_./+:@,-]*') ||\n"
	"				words=\n"
	"			[ \"${COMP_WORDS[1]}\" != jcmd ] ||\n"
	"				[[ $COMP_CWORD -eq 2 || $last = -* ]] ||\n"
	"				words='" DIAGNOSTIC "' ;;\n"
	"		help) words=$(sjkc --list-options 2>/dev/null |\n"
	"			cut -f1 | sort -u) ;;\n"
	"		completion) words='bash zsh fish' ;;\n"
	"		esac\n"
	"	fi\n"
	"	COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
	"}\n"
	"complete -o default -F _sjkc sjkc\n";

static const char zsh[] =
	"#compdef sjkc\n"
	"_sjkc() {\n"
	"	local -a commands options values lines field\n"
	"	local line last=${words[CURRENT-1]}\n"
	"	lines=(${(f)\"$(sjkc --list-options 2>/dev/null)\"})\n"
	"	for line in $lines; do\n"
	"		field=(\"${(@ps:\\t:)line}\")\n"
	"		if [[ -z $field[3] ]]; then\n"
	"			commands+=(\"$field[1]:$field[5]\")\n"
	"		elif [[ $field[1] == $words[2] ]]; then\n"
	"			options+=(\"$field[3]:$field[5]\")\n"
	"			[[ -n $field[2] ]] &&\n"
	"				options+=(\"$field[2]:$field[5]\")\n"
	"			[[ $field[4] == *'|'* && ( $last == $field[3] ||\n"
	"				$last == $field[2] ) ]] &&\n"
	"				values=(${(s:|:)field[4]})\n"
	"		fi\n"
	"	done\n"
	"	if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then\n"
	"		_describe command commands\n"
	"	elif (( $#values )); then\n"
	"		compadd -- $values\n"
	"	elif [[ $words[CURRENT] == -* ]]; then\n"
	"		_describe option options\n"
	"	elif [[ $words[2] == completion ]]; then\n"
	"		compadd -- bash zsh fish\n"
	"	elif [[ $words[2] == jcmd && $CURRENT -gt 3 && $last != -* ]]; then\n"
	"		compadd -- " DIAGNOSTIC "\n"
	"	elif [[ $words[2] == (" WITH_JVM ") ]]; then\n"
	"		compadd -- ${=\"$(sjkc jps -l --quiet 2>/dev/null)\"}\n"
	"		_files\n"
	"	else\n"
	"		_files\n"
	"	fi\n"
	"}\n"
	"if [ \"$funcstack[1]\" = _sjkc ]; then\n"
	"	_sjkc \"$@\"\n"
	"else\n"
	"	compdef _sjkc sjkc\n"
	"fi\n";

static const char fish[] =
	"function __sjkc_commands\n"
	"	sjkc --list-options 2>/dev/null |\n"
	"		while read -d \\t command letter name value help\n"
	"			test -z \"$name\"; and printf '%s\\t%s\\n' $command $help\n"
	"		end\n"
	"end\n"
	"function __sjkc_options\n"
	"	set -l words (commandline -opc)\n"
	"	sjkc --list-options 2>/dev/null |\n"
	"		while read -d \\t command letter name value help\n"
	"			test \"$command\" = \"$words[2]\" -a -n \"$name\"; or continue\n"
	"			if contains -- \"$words[-1]\" $name $letter\n"
	"				string match -q '*|*' $value\n"
	"				and string split '|' $value\n"
	"			end\n"
	"			printf '%s\\t%s\\n' $name $help\n"
	"			test -n \"$letter\"; and printf '%s\\t%s\\n' $letter $help\n"
	"		end\n"
	"end\n"
	"complete -c sjkc -n __fish_use_subcommand -f -a '(__sjkc_commands)'\n"
	"complete -c sjkc -n 'not __fish_use_subcommand' -a '(__sjkc_options)'\n"
	"function __sjkc_words\n"
	"	set -l words (commandline -opc)\n"
	"	if test \"$words[2]\" = jcmd -a (count $words) -gt 2 -a \\\n"
	"			(string sub -l 1 -- \"$words[-1]\") != -\n"
	"		string split ' ' '" DIAGNOSTIC "'\n"
	"	else if string match -qr '^(" WITH_JVM ")$' -- \"$words[2]\"\n"
	"		sjkc jps -l --quiet 2>/dev/null | string replace ' ' \\t\n"
	"	end\n"
	"end\n"
	"complete -c sjkc -n 'not __fish_use_subcommand' -a '(__sjkc_words)'\n"
	"complete -c sjkc -n '__fish_seen_subcommand_from completion' -f \\\n"
	"	-a 'bash zsh fish'\n"
	"complete -c sjkc -n '__fish_seen_subcommand_from help' -f \\\n"
	"	-a '(__sjkc_commands)'\n";
/* clang-format on */

static const struct {
	const char *shell, *script;
} scripts[] = {
	{ "bash", bash },
	{ "zsh", zsh },
	{ "fish", fish },
};

static int completion_run(int argc, char **argv, struct error *err)
{
	if (argc != 1)
		return misuse(err, "missing shell: bash, zsh or fish");
	for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++) {
		if (strcmp(argv[0], scripts[i].shell) == 0)
			return output_file("-", scripts[i].script,
					   strlen(scripts[i].script), err);
	}
	return nearest_fail_choice("shell", argv[0], strlen(argv[0]),
				   "bash zsh fish", err);
}

static const struct command_option options[] = { OPT_END };

const struct command completion_command = {
	.name = "completion",
	.synopsis = "completion bash|zsh|fish",
	.summary = "print a script that completes sjkc's command line",
	.group = "about sjkc itself",
	.examples = "  . <(sjkc completion bash)      # in ~/.bashrc\n"
		    "  . <(sjkc completion zsh)       # in ~/.zshrc\n"
		    "  sjkc completion fish | source  # in config.fish\n",
	.options = options,
	.run = completion_run,
};
