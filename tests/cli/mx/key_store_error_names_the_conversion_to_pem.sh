# Java's key stores are no PEM files; the error names the conversion.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
	-days 2 -subj /CN=x -keyout key.pem -out cert.pem 2>/dev/null
openssl pkcs12 -export -inkey key.pem -in cert.pem -passout pass:changeit \
	-out store.p12
openssl x509 -in cert.pem -outform DER -out cert.der
printf '\376\355\376\355\0\0\0\2' >store.jks
printf '0\202\377\377' >cut.p12
: >empty.pem
for file in store.p12 cert.der store.jks cut.p12 empty.pem; do
	sjkc mx -s 127.0.0.1:1 --cacert $file -b a:b=c --get
	sjkc mx -s 127.0.0.1:1 --cert $file -b a:b=c --get
	sjkc mx -s 127.0.0.1:1 --cert cert.pem --key $file -b a:b=c --get
done 2>&1
# The named command converts the key store.
openssl pkcs12 -in store.p12 -nokeys -passin pass:changeit -out new.pem
sjkc mx -s 127.0.0.1:1 --cacert new.pem -b a:b=c --get 2>&1
openssl x509 -inform DER -in cert.der -out new.pem
sjkc mx -s 127.0.0.1:1 --cacert new.pem -b a:b=c --get 2>&1
openssl pkcs12 -in store.p12 -nodes -passin pass:changeit -out new.pem
sjkc mx -s 127.0.0.1:1 --cert new.pem -b a:b=c --get 2>&1
