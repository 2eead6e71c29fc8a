#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/words.sh [-l] [DIRECTORY]
#
# Fails for phrases that CONTRIBUTING.md rules out ("How we write"): in the
# messages and the help of the C sources, in sjkc.1, README.md, docs/, ARCHITECTURE.md
# and CONTRIBUTING.md, and in the comments of all sources.  -l prints every hit.
. "$(dirname "$0")/tap.sh"
list=
[ "${1-}" != -l ] || { list=1; shift; }
cd "${1:-$(dirname "$0")/..}" || exit 2

# texts FILE...: prints "FILE:LINE: text" for each message of a C source or each
# paragraph of a document, without markup, code and examples.
# shellcheck disable=SC2317 # hits calls it
texts() {
	perl -e '
	sub out {
		my ($file, $line, $text) = @_;
		$text =~ s/\s+/ /g;
		$text =~ s/^ | $//g;
		print "$file:$line: $text\n" if $text =~ / /;
	}

	# Neighboring literals are one; a message has a space in it.
	sub source {
		my ($file, $all) = @_;
		my ($text, $line) = ("", 0);
		while ($all =~ m{("(?:\\.|[^"\\])*")|/\*.*?\*/|//[^\n]*|\x27(?:\\.|[^\x27\\])*\x27|^[ \t]*\#[ \t]*include[^\n]*|(PRI\w+)|(\S)}gsm) {
			if (defined $1) {
				my $literal = substr($1, 1, -1);
				$line ||= 1 + (substr($all, 0, $-[1]) =~ tr/\n//);
				$literal =~ s/\\[nt]/ /g;
				$literal =~ s/\\(.)/$1/g;
				$text .= $literal;
			} elsif (defined $3) {
				out($file, $line, $text);
				($text, $line) = ("", 0);
			}
		}
	}

	sub manual {
		my ($file, @lines) = @_;
		my ($text, $from, $literal) = ("", 1, 0);
		my $inline = qr/^\.(Fl|Cm|Ar|Li|Ql|Pa|Nm|Xr|Ev|Sx|Sy|Ic|Vt|Pq|Sq|Em|Dq)\b\s*(.*)/;
		for my $i (0 .. $#lines) {
			local $_ = $lines[$i];
			$literal = 1 if /^\.Bd -literal/;
			if ($literal) {
				$literal = 0 if /^\.Ed/;
				next;
			}
			if (/$inline/) {
				my ($macro, $rest) = ($1, $2);
				# Omit quoted words, but keep the end of the sentence.
				my $end = $rest =~ / ([.,;:)])$/ ? $1 : "";
				$text .= $macro eq "Pq" || $macro eq "Sy" ?
					" ($rest)" : " X$end";
			} elsif (/^\./) {
				out($file, $from, $text);
				($text, $from) = ("", $i + 2);
			} else {
				$text .= " $_";
			}
		}
		out($file, $from, $text);
	}

	sub markdown {
		my ($file, @lines) = @_;
		my ($text, $from, $fenced) = ("", 1, 0);
		for my $i (0 .. $#lines) {
			local $_ = $lines[$i];
			$fenced = !$fenced if /^\s*```/;
			s/`[^`]*`/X/g;
			if ($fenced || /^\s*```|^\s*$|^    |^#|^<!--|^\||^\s*[-*] |^\d+\. /) {
				out($file, $from, $text);
				($text, $from) = ("", $i + 2);
				out($file, $i + 1, $_)
					if !$fenced && s/^(\||\s*[-*] |\d+\. )//;
			} else {
				$text .= " $_";
			}
		}
		out($file, $from, $text);
	}

	for my $file (@ARGV) {
		open(my $in, "<:encoding(UTF-8)", $file) or next;
		binmode(STDOUT, ":encoding(UTF-8)");
		local $/;
		my $all = <$in>;
		my @lines = split /\n/, $all;
		$file =~ /\.c$/ ? source($file, $all) :
			$file =~ /\.md$/ ? markdown($file, @lines) :
			manual($file, @lines);
	}' "$@"
}

# comments FILE...: prints "FILE:LINE: text" for each comment.
# shellcheck disable=SC2317 # hits calls it
comments() {
	perl -e '
	sub out {
		my ($file, $line, $text) = @_;
		$text =~ s/\s+/ /g;
		$text =~ s/^ | $//g;
		print "$file:$line: $text\n" if $text =~ / /;
	}

	# Neighboring // comments are one.
	sub braces {
		my ($file, $all) = @_;
		while ($all =~ m{"(?:\\.|[^"\\\n])*"|\x27(?:\\.|[^\x27\\\n])*\x27|/\*(.*?)\*/|//([^\n]*(?:\n[ \t]*//[^\n]*)*)}gs) {
			my $text = $1 // $2 // next;
			my $line = 1 + (substr($all, 0, $-[0]) =~ tr/\n//);
			$text =~ s{\n[ \t]*(\*|//)}{ }g;
			out($file, $line, $text);
		}
	}

	sub hashes {
		my ($file, @lines) = @_;
		my ($text, $from) = ("", 0);
		for my $i (0 .. @lines) {
			if (($lines[$i] // "") =~ /^\s*#(?!!)(?! *shellcheck)(.*)/) {
				$from = $i + 1 if !$text;
				$text .= "$1 ";
			} else {
				out($file, $from, $text);
				$text = "";
			}
		}
	}

	for my $file (@ARGV) {
		open(my $in, "<:encoding(UTF-8)", $file) or next;
		binmode(STDOUT, ":encoding(UTF-8)");
		local $/;
		my $all = <$in>;
		$file =~ /\.(sh|py)$/ ? hashes($file, split /\n/, $all) :
			braces($file, $all);
	}' "$@"
}

# A clause that a pronoun opens, unless it is a question.
opening='(^|[.;] )((What|Who|Which|Whose|Whoever|Whatever|That|Those|Of those|Of it|To who) [^.?]*|Where [^.?]*, [^.?]*)([.]|$)'

phrases='
(is|are|was|were|be|been|being) (said|had|heard of|let through|looked at|looked for|carried out)\b
(says|said|say|saying) (so|why|what|which|that|nothing|how|where|whether)\b
\b(not to be|cannot be|can be|could not be) (had|said)\b
\bhas nothing to say\b
\b(takes|take|taken|took) [a-z ]{0,20}for (one|them|a|it)\b
\b(theirs|none of ours|of ours|ours)\b
\bthose (that|which|who|whose)\b
\bone of those\b
\bof (it|them|those|that) (is|are|that|there)\b
\bwhat (there is|it has|it is|stands|comes|goes)\b
\bso (many|much) [a-z]*s\b *($|[,;.)])
\bto so much\b
\bbut for\b
\b(whatever|whoever|however it ends|whichever)\b
\bline feeds?\b
\b(blanks|a blank between|blank between)\b
\bfolders?\b
\b(figures|kin|stand-ins?)\b
\ba remedy\b|\bthe remedy\b|\bremedies\b
\b(stands?|stood) (before|behind|below|beside|between|in the way|still|there)\b
\b(goes|go|went) (no further|by|through all|again|on meanwhile)\b
\b(comes?|came|coming) to (so|less|more|most|the|what|be)\b
\banew\b
\b(mends?|mended|mending)\b
\bunless given\b
\bby the hundred\b
\bhas a JVM carry\b
\bin words\b
\bwith a pid\b|\bby pid:
\bfrom elsewhere\b
\b(lets?|letting) [a-z ]{0,12}through\b
\bin the way\b
\bgets? there\b
\bbelongs? to nobody\b
\bnobody\b
\bdoes without\b
\bset aside\b
\bstands? for\b
\bcannot be told (from|apart)\b
\b(does not|no collector) says?\b
\bspoke before\b
\bis meant\b
\bthat port of\b
\bhas none of\b
\bto who has\b
\btakes one JVM\b
^(it|its) (has|names|begins|runs) 
\b[Ee]ngines?\b
\blocal (JMX agent|connector)\b
\bperf data\b|\bcounter files?\b|\bshared counters\b
\bflame graph pages?\b
\b(the|its|print) losses\b
\blonger than 0\b
\b([Dd]isarm(s|ed|ing)?|[Ww]oven)\b
\b([Gg]rey|[Cc]olours?|[Ll]icences?)\b
'

comment_phrases='
\banew\b
\bamid\b
\bnobody\b
\b(of|to|from|than|is|are) (theirs|ours)\b
\bline feeds?\b
\bfolders?\b
\b(kin|remed(y|ies))\b
\bbut for\b
\bso (many|much) [a-z]*s\b *($|[,;.:)])
\b(whoever|however it ends)\b
\b(says|said) (so|why|what|how|nothing)\b
\bit is said\b
\b(hears?|heard) (of|nothing|no|a)\b
\b(stands?|stood) (before|behind|below|beside|between)\b
\bcomes? and goe?s?\b
\b(get|gets|got) (there|nowhere)\b
\bcan(not)? be had\b
\bwhat (there is|it has|it says|is to be)\b
\bwhat [a-z]+ (says|said)\b
\b(takes?|took|taken) [a-z ]{0,20}for (one|them|a|it)\b
\bfor good\b
\bto speak of\b
\bas it (comes|came|was told)\b
\b(mends?|mended)\b
'

# hits EXTRACTOR PHRASES FILE...: the texts in which a phrase was found
hits() {
	extractor=$1 found=$2
	shift 2
	$extractor "$@" >"$scratch/texts"
	sed 's/^[^ ]*: //' "$scratch/texts" |
		LC_ALL=C grep -nE -f "$scratch/$found" |
		cut -d : -f 1 >"$scratch/lines"
	awk 'NR == FNR { hit[$1] = 1; next } hit[FNR]' "$scratch/lines" \
		"$scratch/texts"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
printf '%s\n' "$phrases" | sed '/^$/d' >"$scratch/phrases"
printf '%s\n' "$opening" >>"$scratch/phrases"
printf '%s\n' "$comment_phrases" | sed '/^$/d' >"$scratch/comment_phrases"

# check NAME EXTRACTOR PHRASES FILE...
check() {
	name=$1
	shift
	hits "$@" >"$scratch/hits"
	[ -z "$list" ] || cat "$scratch/hits"
	if [ -s "$scratch/hits" ]; then
		tap_result "$name: no phrase that CONTRIBUTING.md rules out" \
			"$(wc -l <"$scratch/hits") hits; the last are:
$(tail -n 20 "$scratch/hits")"
	else
		tap_result "$name: no phrase that CONTRIBUTING.md rules out"
	fi
}

for document in sjkc.1 docs/man/* README.md docs/*.md ARCHITECTURE.md CONTRIBUTING.md; do
	[ ! -e "$document" ] || check "$document" texts phrases "$document"
done
for directory in cmd core jmx_http bpf jvmti render; do
	# shellcheck disable=SC2046 # file names of ours, one word each
	check "messages of $directory" texts phrases $(find "$directory" -name '*.c' | sort)
done
for directory in cmd core jmx_http bpf jvmti render packaging tests; do
	# shellcheck disable=SC2046 # file names of ours, one word each
	check "comments of $directory" comments comment_phrases $(find \
		"$directory" -name '*.[ch]' -o -name '*.sh' -o -name '*.py' \
		-o -name '*.java' -o -name '*.js' | sort)
done
tap_end
