package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Limits of running processes. */
public final class ProcessLimits {
  private ProcessLimits() {}

  /** Sets a soft limit, as {@code prlimit} names it. */
  public static void set(long pid, String what, String soft)
      throws IOException, InterruptedException {
    Process prlimit =
        new ProcessBuilder("prlimit", "--pid", String.valueOf(pid), what + "=" + soft + ":")
            .redirectErrorStream(true)
            .start();
    String said = new String(prlimit.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(prlimit.waitFor()).as(said).isZero();
  }
}
