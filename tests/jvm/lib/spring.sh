# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after target.sh, by tests with a Spring Boot application,
# Shop.java.

. tests/jvm/lib/maven.sh

# spring_fetch VERSION ARTIFACT…: fetches Spring Boot and artifacts, as maven_fetch.
spring_fetch() {
	spring_version=$1
	shift
	maven_fetch "org.springframework.boot:spring-boot-starter-parent:$spring_version" \
		"$@"
}

# spring_target PORT JVM-OPTION…: starts the application on 127.0.0.1:PORT with the
# newest JDK.  Requests on loopback use no proxy.
spring_target() {
	unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY
	spring_port=$1 spring_jdk=$(jdks | tail -n 1)
	shift
	target_program=Shop compile_for="-cp $jars -parameters" target \
		"$spring_jdk" -cp "$(target_compile "$spring_jdk" Shop \
			-cp "$jars" -parameters):$jars" "$@" \
		-Dserver.port="$spring_port" -Dserver.address=127.0.0.1 --
}
