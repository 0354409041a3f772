package dev.cotenant.cli.service;

import java.io.IOException;
import java.util.Arrays;

/**
 * Runs a program until standard input ends.
 *
 * <p>The parent process holds the other end of standard input. However the parent ends, the
 * operating system closes the pipe, and this process ends too.
 */
public final class SupervisedMain {
  private SupervisedMain() {}

  /** Runs the class that the first argument names, with the other arguments. */
  public static void main(String[] arguments) throws ReflectiveOperationException {
    Thread.ofPlatform().daemon().name("supervisor").start(SupervisedMain::exitAtEndOfInput);
    String[] rest = Arrays.copyOfRange(arguments, 1, arguments.length);
    Class.forName(arguments[0]).getMethod("main", String[].class).invoke(null, (Object) rest);
  }

  private static void exitAtEndOfInput() {
    try {
      while (System.in.read() >= 0) {
        // what is written there does not matter, only that it may end
      }
    } catch (IOException e) {
      System.err.println("standard input failed: " + e.getMessage());
    }
    System.exit(0);
  }
}
