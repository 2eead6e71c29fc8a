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
. tests/jvm/lib/spring.sh

spring_fetch 3.5.7 org.springframework.boot:spring-boot-starter-web \
	org.springframework.boot:spring-boot-starter-actuator \
	org.jolokia:jolokia-support-spring:2.2.9
port=$(free_port)
spring_target "$port" -Dmanagement.endpoints.web.exposure.include=jolokia || exit 1
agent=http://127.0.0.1:$port/actuator/jolokia
jolokia_accepts "$agent" && jolokia_accepts "$agent/" || exit 1
ask 3 mxping -u "http://127.0.0.1:$port" && printed "one answers at $agent" &&
	ask 3 mxping -u "http://127.0.0.1:$port/actuator" &&
	printed "one answers at $agent" &&
	ask 5 mx -u "http://127.0.0.1:$port/actuator" -b java.lang:type=Runtime --get &&
	said 'HTTP 405'
