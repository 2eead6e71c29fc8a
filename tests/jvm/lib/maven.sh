# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC2154 # variables of target.sh and the test
# Sourced, after target.sh, by tests with libraries that Maven fetches.

# maven_element ELEMENT GROUP:ARTIFACT[:VERSION[:CLASSIFIER]]
maven_element() {
	echo "$2" | awk -F: -v element="$1" '{
		print "<" element "><groupId>" $1 "</groupId>"
		print "<artifactId>" $2 "</artifactId>"
		if ($3) print "<version>" $3 "</version>"
		if ($4) print "<classifier>" $4 "</classifier>"
		print "</" element ">" }'
}

# maven_fetch PARENT ARTIFACT…: fetches the artifacts, which may omit versions that
# PARENT sets ("" = none), and those that they need.  Sets $jars to the class path,
# or skips the test.
maven_fetch() {
	{
		echo '<project xmlns="http://maven.apache.org/POM/4.0.0">'
		echo '<modelVersion>4.0.0</modelVersion>'
		[ -z "$1" ] || maven_element parent "$1"
		echo '<groupId>test</groupId><artifactId>test</artifactId>'
		echo '<version>1</version><dependencies>'
		shift
		for artifact; do
			maven_element dependency "$artifact"
		done
		echo '</dependencies></project>'
	} >"$scratch/pom.xml"
	(cd "$scratch" && timeout 300 mvn -q -B dependency:build-classpath \
		-Dmdep.outputFile=classpath >maven 2>&1) || {
		echo "Maven cannot fetch $*: $(grep -m 1 ERROR "$scratch/maven")"
		exit 77
	}
	jars=$(cat "$scratch/classpath")
}

# maven_jar NAME: prints the path of a fetched jar
maven_jar() { echo "$jars" | tr : '\n' | grep "/$1-[0-9]"; }
