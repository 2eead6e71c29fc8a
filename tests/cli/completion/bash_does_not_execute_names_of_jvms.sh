# bash expands the words of compgen, and the user of a JVM chooses its name.
cat >ask.bash <<'END'
source <(sjkc completion bash)
sjkc() {
	[ "$1" != jps ] || printf '%s\n' '4711 $(echo${IFS}executed>executed)' \
		'4712 `>executed`' '4713 ${x:=$(>executed)}' '4714 *' \
		'4715 -x' '4716 com.acme.Main' '4717 /opt/app.jar'
}
COMP_WORDS=(sjkc ttop '')
COMP_CWORD=2
_sjkc
echo "${COMPREPLY[*]}"
END
bash --norc ask.bash
ls
