// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** Eight threads want the two connections of a pool, which main keeps. */
public class Pools {
	interface Pool {
		Object borrow() throws Exception;
	}

	static final String URL = "jdbc:h2:mem:test";

	static DataSource hikari() {
		com.zaxxer.hikari.HikariConfig config = new com.zaxxer.hikari.HikariConfig();
		config.setJdbcUrl(URL);
		config.setMaximumPoolSize(2);
		config.setConnectionTimeout(600_000);
		return new com.zaxxer.hikari.HikariDataSource(config);
	}

	static DataSource tomcat() {
		org.apache.tomcat.jdbc.pool.DataSource source =
				new org.apache.tomcat.jdbc.pool.DataSource();
		source.setUrl(URL);
		source.setDriverClassName("org.h2.Driver");
		source.setMaxActive(2);
		source.setMaxWait(600_000);
		return source;
	}

	static DataSource dbcp() {
		org.apache.commons.dbcp2.BasicDataSource source =
				new org.apache.commons.dbcp2.BasicDataSource();
		source.setUrl(URL);
		source.setMaxTotal(2);
		source.setMaxWait(java.time.Duration.ofMinutes(10));
		return source;
	}

	static Pool http4() {
		org.apache.http.impl.conn.PoolingHttpClientConnectionManager manager =
				new org.apache.http.impl.conn.PoolingHttpClientConnectionManager();
		org.apache.http.conn.routing.HttpRoute route =
				new org.apache.http.conn.routing.HttpRoute(
						new org.apache.http.HttpHost("127.0.0.1", 9));
		manager.setDefaultMaxPerRoute(2);
		return () -> manager.requestConnection(route, null).get(10, TimeUnit.MINUTES);
	}

	static Pool http5() {
		org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager manager =
				new org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager();
		org.apache.hc.client5.http.HttpRoute route =
				new org.apache.hc.client5.http.HttpRoute(
						new org.apache.hc.core5.http.HttpHost("127.0.0.1", 9));
		manager.setDefaultMaxPerRoute(2);
		return () -> manager.lease("1", route, null)
				.get(org.apache.hc.core5.util.Timeout.ofMinutes(10));
	}

	static Pool pool(String name) {
		DataSource source;
		switch (name) {
		case "http4": return http4();
		case "http5": return http5();
		case "hikari": source = hikari(); break;
		case "tomcat": source = tomcat(); break;
		default: source = dbcp();
		}
		return source::getConnection;
	}

	static Object borrow(Pool pool) {
		try {
			return pool.borrow();
		} catch (Exception e) {
			throw new IllegalStateException(e);
		}
	}

	public static void main(String[] arguments) throws Exception {
		Pool pool = pool(arguments[0]);
		Object[] kept = { borrow(pool), borrow(pool) };
		for (int i = 0; i < 8; i++)
			new Thread(() -> borrow(pool), "request-" + i).start();
		System.out.println("READY");
		Thread.sleep(600_000);
		System.out.println(kept.length);
	}
}
