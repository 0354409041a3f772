package dev.cotenant.cli;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Failures;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** Standard output that remembers write errors, which a writer over it hides. */
final class Output extends FilterOutputStream {
  private @Nullable IOException lost;

  Output() {
    this(new FileOutputStream(FileDescriptor.out));
  }

  Output(OutputStream out) {
    super(out);
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    try {
      out.write(bytes, from, length);
    } catch (IOException e) {
      lost = e;
      throw e;
    }
  }

  /** 0, or that of a failed job where output was lost; a reader that left is no news. */
  int exitCode(Console console) {
    if (lost == null) {
      return 0;
    }
    String why = String.valueOf(lost.getMessage());
    if (!why.contains("Broken pipe")) {
      console.error("standard output cannot be written: " + why);
    }
    return Failures.JOB_FAILED;
  }
}
