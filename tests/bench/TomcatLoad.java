/* SPDX-License-Identifier: Apache-2.0 */

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Scanner;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/**
 * Runs Tomcat with a servlet and sends it the same 300 requests again and again: pages, forms,
 * errors with the stack traces that Tomcat prints. Each round prints "ROUND DIGEST REQUESTS", the
 * digest of all status codes and bodies, and the number of requests that the servlet got.
 */
public class TomcatLoad {
    static final AtomicLong served = new AtomicLong();

    static class Servlet extends HttpServlet {
        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            served.incrementAndGet();
            String what = request.getPathInfo();
            if (what.startsWith("/missing")) {
                response.sendError(404, "nothing there");
            } else if (what.startsWith("/fails")) {
                throw new IllegalStateException(what);
            } else {
                response.setContentType("text/plain");
                response.getWriter()
                        .println(what + " " + request.getParameter("n") + " " + request.getMethod());
                for (int i = 0; i < 200; i++) response.getWriter().println("line " + i);
            }
        }
    }

    static byte[] ask(int port, String path, String form) throws Exception {
        HttpURLConnection c =
                (HttpURLConnection)
                        URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
        if (form != null) {
            c.setDoOutput(true);
            c.getOutputStream().write(form.getBytes(StandardCharsets.UTF_8));
        }
        String status = c.getResponseCode() + " ";
        try (InputStream in = c.getResponseCode() < 400 ? c.getInputStream() : c.getErrorStream()) {
            Scanner all = new Scanner(in, "UTF-8").useDelimiter("\\A");
            return (status + (all.hasNext() ? all.next() : "")).getBytes(StandardCharsets.UTF_8);
        }
    }

    static void round(int port) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        long before = served.get();
        for (int i = 0; i < 100; i++) {
            digest.update(ask(port, "/page/" + i + "?n=" + i, null));
            digest.update(ask(port, "/form/" + i, "n=" + i));
            digest.update(ask(port, (i % 2 == 0 ? "/missing/" : "/fails/") + i, null));
        }
        String hex = new java.math.BigInteger(1, digest.digest()).toString(16);
        System.out.println("ROUND " + hex + " " + (served.get() - before));
        System.out.flush();
    }

    public static void main(String[] args) throws Exception {
        java.util.logging.LogManager.getLogManager().reset();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(args[0]);
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", args[0]);
        Tomcat.addServlet(context, "all", new Servlet());
        context.addServletMappingDecoded("/*", "all");
        tomcat.start();
        long end = System.nanoTime() + 3_600_000_000_000L;
        for (int i = 0; System.nanoTime() < end; i++) {
            round(tomcat.getConnector().getLocalPort());
            if (i == 2) System.out.println("READY");
        }
        System.exit(0);
    }
}
