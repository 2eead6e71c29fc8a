// SPDX-License-Identifier: Apache-2.0
package kotlin.coroutines;

/** The last parameter of a Kotlin suspend function. */
interface Continuation {
}

/** A Clojure function is a class with these methods. */
class core$crunch {
	static Object invokeStatic(Object n) {
		return n;
	}

	Object invoke(Object n) {
		return invokeStatic(n);
	}
}

/** Methods as other compilers than javac, and JaCoCo, make them. */
class Languages {
	private static boolean[] $jacocoInit() {
		return new boolean[1];
	}

	static long suspended(long n, Continuation last) {
		return $jacocoInit()[0] ? n : 0;
	}

	public static void main(String[] arguments) throws Exception {
		core$crunch function = new core$crunch();

		System.out.println("READY");
		for (long i = 0;; i++) {
			suspended(i, null);
			function.invoke(i);
			Thread.sleep(10);
		}
	}
}
