mkdir tests
cp "$(dirname "$DATA")/run.sh" tests/
cat >Makefile <<'END'
check-one:
	@echo 'ok 1 - a'; echo 'not ok 2 - b'; echo '# why'; echo 'ok 3 - c # SKIP d'
check-two:
	@echo 'not ok 1 # SKIP cmocka'; echo 'ok 2 - e'
check-three:
	@echo 'it broke before it could say so'; exit 1
END
sh tests/run.sh one two three | sed 's/[0-9]* s, [0-9]* CPU s$/N s, N CPU s/
	s/^[0-9]* CPU s in all/N CPU s in all/; /make.*Error/d'
