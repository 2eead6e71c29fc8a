// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.rmi.Remote;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.RMIServerSocketFactory;
import java.rmi.server.UnicastRemoteObject;
import java.util.HashMap;
import java.util.Map;
import javax.management.remote.JMXServiceURL;
import javax.management.remote.rmi.RMIConnection;
import javax.management.remote.rmi.RMIConnectorServer;
import javax.management.remote.rmi.RMIJRMPServerImpl;
import javax.management.remote.rmi.RMIServer;

/**
 * A connector that an application defines: its name in the registry is not
 * jmxrmi, its stub is a dynamic proxy, and its sessions have another port.
 * Only a lease keeps a session, because garbage is collected all the time.
 *
 * <p>Arguments: the registry's port, and the time in ms after which an idle
 * session ends.  Prints READY, and LOGIN for each session.
 */
public class Connector {
	/** Listens only on loopback. */
	private static class Loopback implements RMIServerSocketFactory {
		@Override
		public ServerSocket createServerSocket(int port)
			throws IOException {
			return new ServerSocket(port, 50,
				InetAddress.getLoopbackAddress());
		}
	}

	private static class Door implements RMIServer {
		private final RMIServer inner;

		Door(RMIServer inner) { this.inner = inner; }
		@Override
		public String getVersion() throws java.rmi.RemoteException {
			return inner.getVersion();
		}
		@Override
		public RMIConnection newClient(Object credentials)
			throws IOException {
			System.out.println("LOGIN");
			return inner.newClient(credentials);
		}
	}

	/**
	 * Refers to the remote object, because a stub does not keep it alive.
	 */
	private static Door door;
	private static Registry registry;

	public static void main(String[] arguments) throws Exception {
		int port = Integer.parseInt(arguments[0]);
		Loopback loopback = new Loopback();
		Map<String, Object> env = new HashMap<>();
		env.put("jmx.remote.x.server.connection.timeout",
			Long.valueOf(arguments[1]));
		RMIJRMPServerImpl inner =
			new RMIJRMPServerImpl(0, null, loopback, env);
		RMIConnectorServer server = new RMIConnectorServer(
			new JMXServiceURL("service:jmx:rmi://"), env, inner,
			ManagementFactory.getPlatformMBeanServer());
		server.start();
		registry =
			LocateRegistry.createRegistry(port, null, loopback);
		door = new Door(inner);
		Remote stub = UnicastRemoteObject.exportObject(
			door, 0, null, loopback);
		registry.rebind("a/door", stub);
		System.out.println("READY");
		for (int i = 0; i < 3000; i++) {
			System.gc();
			Thread.sleep(100);
		}
		System.exit(1);
	}
}
