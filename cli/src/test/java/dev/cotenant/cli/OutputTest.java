package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.cli.terminal.Console;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutputTest {
  private final StringWriter err = new StringWriter();

  /** The exit code of a command whose output goes to {@code stream}. */
  private int exitCode(OutputStream stream) {
    Output output = new Output(stream);
    PrintWriter out = new PrintWriter(output, false, StandardCharsets.UTF_8);
    out.println("a result");
    out.flush();
    return output.exitCode(Console.ofWriters(out, new PrintWriter(err)));
  }

  @ParameterizedTest
  @CsvSource({
    "No space left on device, cotenant: standard output cannot be written: No space left on device",
    "Broken pipe, ''"
  })
  void lostOutputFails(String why, String says) {
    OutputStream lost =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException(why);
          }
        };

    assertThat(exitCode(lost)).isEqualTo(1);
    assertThat(err.toString().strip()).isEqualTo(says);
  }

  @Test
  void aCommandWhoseOutputIsLostSaysSoAndFails() throws IOException, InterruptedException {
    Process devices = CommandProcess.of("devices").redirectOutput(new File("/dev/full")).start();

    assertThat(new String(devices.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).lines())
        .containsExactly("cotenant: standard output cannot be written: No space left on device");
    assertThat(devices.waitFor()).isEqualTo(1);
  }

  @Test
  void writtenOutputSucceeds() {
    assertThat(exitCode(OutputStream.nullOutputStream())).isZero();
    assertThat(err.toString()).isEmpty();
  }
}
