package dev.cotenant.cli.service;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The service as a child of this process, which it never outlives. */
final class ServiceProcess {
  private static final int LINES_KEPT = 20;
  private static final Duration GRACE = Duration.ofSeconds(10);

  private final Process process;
  private final Thread reader;
  private final Deque<String> lastLines = new ArrayDeque<>();

  private ServiceProcess(Process process) {
    this.process = process;
    this.reader = Thread.ofPlatform().daemon().name("service output").start(this::readOutput);
  }

  /** Starts {@code java} with these arguments; see {@link ServiceArguments#ofSupervised}. */
  static ServiceProcess start(List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(arguments);
    try {
      return new ServiceProcess(new ProcessBuilder(command).redirectErrorStream(true).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void readOutput() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      lines.lines().forEach(this::keep);
    } catch (IOException | UncheckedIOException e) {
      keep("(its output could not be read: " + e.getMessage() + ")");
    }
  }

  private synchronized void keep(String line) {
    lastLines.addLast(line);
    if (lastLines.size() > LINES_KEPT) {
      lastLines.removeFirst();
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Waits until it ends by itself, and gives its exit code. */
  int waitFor() throws InterruptedException {
    int exitCode = process.waitFor();
    reader.join(GRACE);
    return exitCode;
  }

  /** What it said last. */
  synchronized List<String> lastLines() {
    return List.copyOf(lastLines);
  }

  /** Ends it: kindly, and after ten seconds not. */
  void stop() {
    stop(GRACE);
  }

  /** Ends it: kindly, and after some time not. */
  void stop(Duration grace) {
    process.toHandle().destroy(); // a process's own would also close its output
    try {
      if (!process.waitFor(grace.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
