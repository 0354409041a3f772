package dev.cotenant.cli.terminal;

import java.io.PrintWriter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Says on standard error how far some work has come: on a terminal in a line that is overwritten,
 * else in a line for every new step.
 */
public final class Progress implements AutoCloseable {
  private static final String START_OF_LINE = "\r\u001b[K";

  private final PrintWriter err;
  private final String title;
  private final boolean interactive;
  private final long startedNanos = System.nanoTime();
  private @Nullable String shown;

  Progress(PrintWriter err, String title, boolean interactive) {
    this.err = err;
    this.title = title;
    this.interactive = interactive;
  }

  /** Shows a step and the seconds since the start. */
  public synchronized void step(String text) {
    if (interactive) {
      err.print(START_OF_LINE + line(text));
    } else if (!text.equals(shown)) {
      err.println(line(text));
    }
    shown = text;
    err.flush();
  }

  private String line(String text) {
    String what = text.isEmpty() ? title : title + ", " + text;
    return what + ", " + elapsed().toSeconds() + " s";
  }

  /** Since this display was made. */
  public Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - startedNanos);
  }

  /** Clears the line. */
  @Override
  public synchronized void close() {
    if (interactive) {
      err.print(START_OF_LINE);
      err.flush();
    }
  }
}
