# In this PATH, there is no sudo, `id` reports a normal user, and `dpkg-query`
# reports only alpha as installed.
mkdir bin tests
cp "$(dirname "$DATA")/setup.sh" tests/
printf '# not packages of demo or check\nalpha check\nbeta demo check\ngamma demo\n' >tests/packages
for tool in cat dirname cmp mkdir sed tail; do
	ln -s "$(command -v $tool)" bin/
done
printf '#!/bin/sh\necho 1000\n' >bin/id
# shellcheck disable=SC2016 # for the script made here
printf '#!/bin/sh\necho alpha installed; echo beta config-files\n' >bin/dpkg-query
chmod +x bin/*
PATH=$PWD/bin /bin/sh tests/setup.sh demo; echo "exit status $?"
PATH=$PWD/bin /bin/sh tests/setup.sh check; echo "exit status $?"
