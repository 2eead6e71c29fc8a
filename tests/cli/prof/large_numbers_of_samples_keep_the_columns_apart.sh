# SPDX-License-Identifier: Apache-2.0
# Samples have all their digits; columns grow with them.
printf '%s\n' 'main;a.A.a 777777770' 'main;a.A.a;b.B.b 22222230' >x.collapsed
sjkc prof -i x.collapsed -n 2 --show frames
sed 's/main/[main tid=7]/' x.collapsed >thread.collapsed
sjkc prof -i thread.collapsed -n 2 --show frames,threads
