# SPDX-License-Identifier: Apache-2.0
# Only in check-all: starts Spring Boot, and fetches 30 MB the first time.
# Newest JDK: Spring Boot 3 requires JDK 17.
# Jolokia 2.2.9 as an endpoint of the actuator of Spring Boot 3.5.7: mxping, mx, ttop
# and mxprx reach it, and mxping finds its path.
sjkc=$(realpath "$1") scratch=$(realpath "$2")
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
. tests/jvm/lib/proxy.sh
unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY

cat >"$scratch/pom.xml" <<-'END'
	<project xmlns="http://maven.apache.org/POM/4.0.0">
	<modelVersion>4.0.0</modelVersion>
	<parent><groupId>org.springframework.boot</groupId>
	<artifactId>spring-boot-starter-parent</artifactId>
	<version>3.5.7</version></parent>
	<groupId>test</groupId><artifactId>shop</artifactId><version>1</version>
	<dependencies>
	<dependency><groupId>org.springframework.boot</groupId>
	<artifactId>spring-boot-starter-web</artifactId></dependency>
	<dependency><groupId>org.springframework.boot</groupId>
	<artifactId>spring-boot-starter-actuator</artifactId></dependency>
	<dependency><groupId>org.jolokia</groupId>
	<artifactId>jolokia-support-spring</artifactId>
	<version>2.2.9</version></dependency>
	</dependencies>
	</project>
END
(cd "$scratch" && timeout 300 mvn -q -B dependency:build-classpath \
	-Dmdep.outputFile=classpath >maven 2>&1) ||
	{ echo 'Maven cannot fetch Spring Boot 3.5.7'; exit 77; }
jars=$(cat "$scratch/classpath")

jdk=$(jdks | tail -n 1)
port=$(free_port)
target_program=Shop compile_for="-cp $jars -parameters" target "$jdk" \
	-cp "$(target_compile "$jdk" Shop -cp "$jars" -parameters):$jars" \
	-Dserver.port="$port" -Dserver.address=127.0.0.1 \
	-Dmanagement.endpoints.web.exposure.include=jolokia -- || exit 1
agent=http://127.0.0.1:$port/actuator/jolokia
jolokia_accepts "$agent" && jolokia_accepts "$agent/" || exit 1
ask 3 mxping -u "http://127.0.0.1:$port" && printed "one answers at $agent" &&
	ask 5 mxping -u "http://127.0.0.1:$port/actuator" &&
	printed "one answers at $agent"
