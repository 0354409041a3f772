package dev.cotenant.cli.model;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Failures;
import dev.cotenant.domain.InputException;
import java.util.List;
import java.util.function.Consumer;

/** Works through files, going on after one that cannot be used. */
final class FileByFile {
  private final Console console;
  private final boolean json;

  FileByFile(Console console, boolean json) {
    this.console = console;
    this.json = json;
  }

  /** What JSON readers get instead of a result. */
  record FailedFile(@JsonProperty("path") String path, @JsonProperty("error") Problem error) {}

  /** Why. */
  record Problem(@JsonProperty("code") String code, @JsonProperty("message") String message) {}

  /** The exit code: 0 when every file could be used, else 1. Bad usage ends the work at once. */
  <T> int each(List<T> files, Consumer<T> work) {
    int exitCode = 0;
    for (T file : files) {
      try {
        work.accept(file);
      } catch (InputException e) {
        if (e.kind() == InputException.Kind.INVALID_ARGUMENT) {
          throw e;
        }
        report(file, e);
        exitCode = Failures.JOB_FAILED;
      }
    }
    return exitCode;
  }

  private void report(Object file, InputException e) {
    if (json) {
      console.json(new FailedFile(file.toString(), new Problem(e.code(), e.getMessage())));
    }
    console.error(e.getMessage());
  }
}
