package dev.cotenant.admission.supervision;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;

/** Port: ends the process at once. */
@FunctionalInterface
public interface ProcessEnd {
  /** The exit code, which {@code -XX:+ExitOnOutOfMemoryError} has as well. */
  int EXIT_CODE = 3;

  /**
   * Writes a line to standard error and halts the Java runtime: no shutdown hook runs, as each
   * could wait for what has failed. Needs no memory.
   */
  ProcessEnd HALT =
      lastWords -> {
        try {
          Descriptor.ERROR.write(lastWords);
        } catch (IOException e) {
          // Standard error is closed; the exit code remains.
        } finally {
          Runtime.getRuntime().halt(EXIT_CODE);
        }
      };

  /**
   * Ends the process.
   *
   * @param lastWords one line in UTF-8, allocated in advance
   */
  void end(byte[] lastWords);

  /** Standard error without the buffers and locks of {@link System#err}. */
  final class Descriptor {
    private static final FileOutputStream ERROR = new FileOutputStream(FileDescriptor.err);

    private Descriptor() {}
  }
}
