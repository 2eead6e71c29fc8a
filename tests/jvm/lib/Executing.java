// SPDX-License-Identifier: Apache-2.0
// Compiled alone: needs JDK 22.

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Executes another program in its process after a time: execv(3). JDK 22 on. */
public class Executing {
    public static void main(String[] args) throws Throwable {
        Linker linker = Linker.nativeLinker();
        MethodHandle execv = linker.downcallHandle(
            linker.defaultLookup().find("execv").orElseThrow(),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS,
                                  ValueLayout.ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment words =
                arena.allocate(ValueLayout.ADDRESS, args.length + 1L);
            for (int i = 0; i < args.length; i++)
                words.setAtIndex(ValueLayout.ADDRESS, i,
                                 arena.allocateFrom(args[i]));
            words.setAtIndex(ValueLayout.ADDRESS, args.length,
                             MemorySegment.NULL);
            System.out.println("READY");
            Thread.sleep(Long.parseLong(System.getProperty("after", "2000")));
            int failed = (int) execv.invokeExact(
                words.getAtIndex(ValueLayout.ADDRESS, 0), words);
            throw new IllegalStateException("execv: " + failed);
        }
    }
}
