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

  /** As often as the seconds of a line change. */
  private static final long REDRAW_NANOS = 1_000_000_000;

  private static final double PLAIN_PART = 0.1;
  private static final int BAR = 20;

  /** Before this part an estimate of the time left says little. */
  private static final double MIN_ESTIMATED = 0.02;

  private final PrintWriter err;
  private final String title;
  private final boolean interactive;
  private final long startedNanos = System.nanoTime();
  private @Nullable String shown;
  private long shownNanos;
  private double shownPart;

  Progress(PrintWriter err, String title, boolean interactive) {
    this.err = err;
    this.title = title;
    this.interactive = interactive;
  }

  /** Shows a step and the seconds since the start. */
  public synchronized void step(String text) {
    boolean isNew = !text.equals(shown);
    if (!isNew && !(interactive && isRedrawn())) {
      return;
    }
    shown = text;
    shownNanos = System.nanoTime();
    if (interactive) {
      err.print(START_OF_LINE + line(text));
    } else {
      err.println(line(text));
    }
    err.flush();
  }

  private boolean isRedrawn() {
    return System.nanoTime() - shownNanos > REDRAW_NANOS;
  }

  /**
   * Shows a step, how much of the whole work is done, and an estimate of the time left; on a
   * terminal once a second, else for every new step and every tenth.
   *
   * @param done in [0, 1]
   */
  public synchronized void step(String text, double done) {
    boolean isNew = !text.equals(shown);
    boolean isDue = interactive ? isRedrawn() : done >= shownPart + PLAIN_PART;
    if (!isNew && !isDue) {
      return;
    }
    shown = text;
    shownNanos = System.nanoTime();
    shownPart = done;
    String line = line(text) + rest(done);
    if (interactive) {
      err.print(START_OF_LINE + bar(done) + " " + line);
    } else {
      err.println(line);
    }
    err.flush();
  }

  private static String bar(double done) {
    int full = (int) Math.round(done * BAR);
    return "[" + "#".repeat(full) + "-".repeat(BAR - full) + "]";
  }

  private String rest(double done) {
    long percent = Math.round(100 * done);
    if (done < MIN_ESTIMATED) {
      return ", " + percent + " %";
    }
    double left = elapsed().toMillis() / 1_000.0 * (1 - done) / done;
    return ", " + percent + " %, about " + Math.round(left) + " s left";
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
