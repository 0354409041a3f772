package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.domain.InputException;
import java.util.List;

/** What a command says about the sets that it reads. */
final class SetNotes {
  private SetNotes() {}

  /** Rows read and skipped, with the reasons. */
  static void print(Console console, String set, int read, List<String> rejected) {
    console.note(
        set
            + ": "
            + Words.count(read)
            + " rows read, "
            + Words.count(rejected.size())
            + " skipped");
    Rejections.of(rejected).forEach(line -> console.note("skipped: " + line));
  }

  /** Where no set was named. */
  static InputException noData(Iterable<String> formats) {
    return InputException.invalidArgument(
        "no-data",
        "name at least one set with --data FORMAT:PATH (formats: "
            + String.join(", ", formats)
            + ").");
  }
}
