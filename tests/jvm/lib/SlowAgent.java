// SPDX-License-Identifier: Apache-2.0

import javax.management.MBeanServer;
import javax.management.MBeanServerBuilder;
import javax.management.MBeanServerDelegate;

/** A JVM whose local JMX agent takes twelve seconds to start. */
public class SlowAgent {
    public static class Builder extends MBeanServerBuilder {
        @Override
        public MBeanServer newMBeanServer(String domain, MBeanServer outer,
                MBeanServerDelegate delegate) {
            try {
                Thread.sleep(12_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return super.newMBeanServer(domain, outer, delegate);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        System.out.println("READY");
        Thread.sleep(300_000);
    }
}
