profile() {
	printf '%s' '{"$schema":"https://www.speedscope.app/file-format-schema.json",' \
		'"shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[' \
		'{"type":"sampled","name":"work","unit":"'"$1"'","startValue":0,' \
		'"endValue":300,"samples":[[0],[0,1]],"weights":[100,200]}]}'
}
profile bytes >1.json
profile milliseconds >2.json
sjkc diff 1.json 2.json
sjkc diff --normalize none 1.json 2.json
sjkc diff --normalize none --samples 1.json 2.json
