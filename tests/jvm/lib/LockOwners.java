// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/**
 * Threads that wait for locks of all kinds. The name of a waiter tells the
 * truth: "w/SHAPE/GENERATION/OWNER", with the owner "-" if the lock has none.
 *
 * <p>Arguments: life=MS (locks and threads are replaced after this time;
 * default: never), garbage=THREADS (threads that allocate), virtual (also
 * virtual threads), deadlocks (cycles of two threads; with virtual, also of
 * virtual ones).
 */
class LockOwners {
	interface Body {
		void run() throws Exception;
	}

	static volatile Object sink;

	/** Starts a thread, which is a daemon. */
	static void thread(boolean isVirtual, String name, Body body) {
		Runnable run = () -> {
			try {
				body.run();
			} catch (Exception e) {
				throw new IllegalStateException(e);
			}
		};
		if (!isVirtual) {
			Thread t = new Thread(run, name);
			t.setDaemon(true);
			t.start();
			return;
		}
		try {
			Object named = Class.forName("java.lang.Thread$Builder")
				.getMethod("name", String.class)
				.invoke(Thread.class.getMethod("ofVirtual").invoke(null), name);
			Class.forName("java.lang.Thread$Builder")
				.getMethod("start", Runnable.class).invoke(named, run);
		} catch (ReflectiveOperationException e) {
			throw new IllegalStateException(e);
		}
	}

	/** The locks and threads that live at the same time. */
	static class Generation {
		final CountDownLatch ready = new CountDownLatch(1);
		final CountDownLatch end = new CountDownLatch(1);
		final List<CountDownLatch> held = new ArrayList<>();
		final boolean isVirtual;
		final String id;
		final List<Body> enders = new ArrayList<>();

		Generation(String id, boolean isVirtual) {
			this.id = id;
			this.isVirtual = isVirtual;
		}

		/** Starts a thread that holds a lock until the end; returns its name. */
		String holder(String shape, Body lock, Body unlock) {
			CountDownLatch has = new CountDownLatch(1);
			String name = "holder-" + shape + "-" + id;

			held.add(has);
			thread(isVirtual, name, () -> {
				lock.run();
				has.countDown();
				end.await();
				unlock.run();
			});
			return name;
		}

		/** Starts a thread that waits, as soon as all locks are held. */
		void waiter(String shape, String owner, Body body) {
			thread(isVirtual, "w/" + shape + "/" + id + "/" + owner, () -> {
				ready.await();
				body.run();
			});
		}

		void locks() {
			for (boolean isFair : new boolean[] { false, true }) {
				Lock l = new ReentrantLock(isFair);
				String shape = isFair ? "fair" : "nonfair";
				String owner = holder(shape, l::lock, l::unlock);

				waiter(shape, owner, () -> {
					l.lock();
					l.unlock();
				});
				waiter(shape + "Timed", owner, () -> {
					if (l.tryLock(1000, TimeUnit.SECONDS))
						l.unlock();
				});
			}
		}

		void readWriteLocks() {
			ReentrantReadWriteLock w = new ReentrantReadWriteLock();
			ReentrantReadWriteLock r = new ReentrantReadWriteLock();
			StampedLock s = new StampedLock();
			long[] stamp = new long[1];
			String owner = holder("write", () -> w.writeLock().lock(),
				() -> w.writeLock().unlock());

			waiter("readOfWrite", owner, () -> {
				w.readLock().lock();
				w.readLock().unlock();
			});
			waiter("writeOfWrite", owner, () -> {
				w.writeLock().lock();
				w.writeLock().unlock();
			});
			holder("read", () -> r.readLock().lock(), () -> r.readLock().unlock());
			waiter("writeOfRead", "-", () -> {
				r.writeLock().lock();
				r.writeLock().unlock();
			});
			holder("stamp", () -> stamp[0] = s.writeLock(),
				() -> s.unlockWrite(stamp[0]));
			waiter("stamped", "-", () -> s.unlockWrite(s.writeLock()));
		}

		/** A waiter that was signalled, and one that was not. */
		void conditions() {
			ReentrantLock l = new ReentrantLock(), idle = new ReentrantLock();
			Condition c = l.newCondition(), never = idle.newCondition();
			CountDownLatch awaits = new CountDownLatch(1);
			String name = "holder-condition-" + id;
			CountDownLatch has = new CountDownLatch(1);

			thread(isVirtual, "w/reacquired/" + id + "/" + name, () -> {
				l.lock();
				awaits.countDown();
				c.await();
				l.unlock();
			});
			thread(isVirtual, name, () -> {
				awaits.await();
				l.lock();
				c.signalAll();
				has.countDown();
				end.await();
				l.unlock();
			});
			held.add(has);
			waiter("awaiting", "-", () -> {
				idle.lock();
				never.await();
				idle.unlock();
			});
			enders.add(() -> {
				idle.lock();
				never.signalAll();
				idle.unlock();
			});
		}

		void others() {
			Semaphore semaphore = new Semaphore(0);
			FutureTask<Object> task = new FutureTask<>(() -> null);
			CompletableFuture<Object> future = new CompletableFuture<>();
			LinkedBlockingQueue<Object> queue = new LinkedBlockingQueue<>();

			waiter("semaphore", "-", semaphore::acquire);
			waiter("latch", "-", end::await);
			waiter("task", "-", task::get);
			waiter("future", "-", future::get);
			waiter("queue", "-", queue::take);
			enders.add(() -> {
				semaphore.release();
				task.run();
				future.complete("");
				queue.add("");
			});
		}

		void monitors() {
			Object monitor = new Object();
			CountDownLatch has = new CountDownLatch(1);
			String name = "holder-monitor-" + id;

			thread(false, name, () -> {
				synchronized (monitor) {
					has.countDown();
					end.await();
				}
			});
			held.add(has);
			thread(false, "w/monitor/" + id + "/" + name, () -> {
				has.await();
				synchronized (monitor) {
					sink = null;
				}
			});
		}

		Generation begin() throws Exception {
			locks();
			readWriteLocks();
			conditions();
			monitors();
			others();
			thread(false, "ender", () -> {
				end.await();
				for (Body ender : enders)
					ender.run();
			});
			for (CountDownLatch has : held)
				has.await();
			ready.countDown();
			return this;
		}
	}

	static void nap() throws InterruptedException {
		Thread.sleep(300);
	}

	/** Two threads that wait for each other's lock. */
	static void cycle(String name, boolean isVirtual, boolean otherIsVirtual) {
		ReentrantLock a = new ReentrantLock(), b = new ReentrantLock();
		CountDownLatch both = new CountDownLatch(2);

		thread(isVirtual, name + "-1", () -> {
			a.lock();
			both.countDown();
			both.await();
			b.lock();
		});
		thread(otherIsVirtual, name + "-2", () -> {
			b.lock();
			both.countDown();
			both.await();
			a.lock();
		});
	}

	/** One waits for a monitor, the other for a lock. */
	static void monitorCycle(String name, boolean lockIsVirtual,
		boolean monitorIsVirtual) {
		ReentrantLock lock = new ReentrantLock();
		Object monitor = new Object();
		CountDownLatch both = new CountDownLatch(2);

		thread(lockIsVirtual, name + "-lock", () -> {
			lock.lock();
			both.countDown();
			both.await();
			synchronized (monitor) {
				nap();
			}
		});
		thread(monitorIsVirtual, name + "-monitor", () -> {
			synchronized (monitor) {
				both.countDown();
				both.await();
				lock.lock();
			}
		});
	}

	static void garbage(int index) {
		thread(false, "garbage-" + index, () -> {
			Object[] live = new Object[2048];
			int n = 0;

			while (true) {
				ReentrantLock lock = new ReentrantLock();
				byte[] bytes = new byte[900];

				lock.lock();
				sink = lock;
				if ((n & 15) == 0)
					live[n >> 4 & 2047] = bytes;
				if ((++n & 1023) == 0)
					Thread.sleep(1);
			}
		});
	}

	public static void main(String[] args) throws Exception {
		boolean isVirtual = false, hasDeadlocks = false;
		long life = 0;
		int garbage = 0;

		for (String arg : args) {
			if (arg.startsWith("life="))
				life = Long.parseLong(arg.substring(5));
			else if (arg.startsWith("garbage="))
				garbage = Integer.parseInt(arg.substring(8));
			else if (arg.equals("virtual"))
				isVirtual = true;
			else if (arg.equals("deadlocks"))
				hasDeadlocks = true;
		}
		for (int i = 0; i < garbage; i++)
			garbage(i);
		if (hasDeadlocks) {
			cycle("platform", false, false);
			monitorCycle("mixed", false, false);
			if (isVirtual) {
				cycle("virtual", true, true);
				cycle("both", true, false);
				/* Before, a monitor keeps the carrier (JEP 491). */
				if (Integer.getInteger("java.specification.version", 8) >= 24) {
					monitorCycle("enters", true, false);
					monitorCycle("owns", false, true);
				}
			}
			nap();
		}
		for (int n = 0;; n++) {
			Generation platform = new Generation("p" + n, false).begin();
			Generation virtual =
				isVirtual ? new Generation("v" + n, true).begin() : null;

			if (n == 0) {
				nap();
				System.out.println("READY");
			}
			Thread.sleep(life == 0 ? Long.MAX_VALUE : life);
			platform.end.countDown();
			if (virtual != null)
				virtual.end.countDown();
		}
	}
}
