// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.rmi.registry.LocateRegistry;
import java.rmi.server.UnicastRemoteObject;
import java.util.Map;
import javax.management.remote.JMXServiceURL;
import javax.management.remote.rmi.RMIConnection;
import javax.management.remote.rmi.RMIConnectionImpl;
import javax.management.remote.rmi.RMIConnectorServer;
import javax.management.remote.rmi.RMIJRMPServerImpl;
import javax.security.auth.Subject;

/**
 * A JMX server whose sessions have their own port.  Arguments: the ports of the
 * registry, of the server, and of the sessions.
 */
class Sessions {
    static class Server extends RMIJRMPServerImpl {
        private final int port;

        Server(int own, int port) throws IOException {
            super(own, null, null, Map.of());
            this.port = port;
        }

        @Override
        protected RMIConnection makeClient(String id, Subject subject)
                throws IOException {
            RMIConnectionImpl session = new RMIConnectionImpl(this, id,
                Server.class.getClassLoader(), subject, Map.of());
            UnicastRemoteObject.exportObject(session, port);
            return session;
        }

        @Override
        protected void closeClient(RMIConnection session) throws IOException {
            UnicastRemoteObject.unexportObject(session, true);
        }
    }

    public static void main(String[] args) throws Exception {
        int registry = Integer.parseInt(args[0]);

        LocateRegistry.createRegistry(registry);
        new RMIConnectorServer(
            new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:"
                + registry + "/jmxrmi"),
            null,
            new Server(Integer.parseInt(args[1]), Integer.parseInt(args[2])),
            ManagementFactory.getPlatformMBeanServer()).start();
        System.out.println("READY");
        Thread.sleep(300_000);
    }
}
