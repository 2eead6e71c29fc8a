# SPDX-License-Identifier: Apache-2.0
# The nearest name may be an alias or a command of another tool.  An option in
# place of the command has a hint, too.
for word in topp jmapp hist jstta flamgraph versio --hlep --versoin -p -v; do
	sjkc "$word" 2>&1
done
