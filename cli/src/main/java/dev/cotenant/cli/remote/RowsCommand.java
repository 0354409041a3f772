package dev.cotenant.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Failures;
import dev.cotenant.domain.text.Table;
import dev.cotenant.engine.files.InputFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The measured runs that a service learns from, each with its source. */
@Command(
    name = "rows",
    mixinStandardHelpOptions = true,
    description = "Lists, adds and withdraws measured runs, from which a running service learns.")
public final class RowsCommand implements Runnable {
  private static final String PATH = "/v1/profiles";
  private static final int PAGE = 1000;
  private static final int MAX_BYTES = 16 << 20;

  private final Console console;

  @Spec private CommandSpec spec = CommandSpec.create();

  public RowsCommand(Console console) {
    this.console = console;
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "no subcommand given; there is " + String.join(", ", spec.subcommands().keySet()));
  }

  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "Lists rows in the order of their arrival.")
  int list(
      @Mixin RemoteOptions remote,
      @Option(names = "--source", paramLabel = "SOURCE", description = "Only this source.")
          @Nullable String source,
      @Option(names = "--device", paramLabel = "ID", description = "Only this device.")
          @Nullable String device,
      @Option(names = "--json", description = "JSON output, one object per row.") boolean json)
      throws InterruptedException {
    String query = "&limit=" + PAGE + parameter("source", source) + parameter("device", device);
    List<JsonNode> rows = new ArrayList<>();
    long next = 0;
    long after;
    do {
      after = next;
      JsonNode page = remote.service().get(PATH + "?after=" + after + query, "profiles");
      page.path("profiles").forEach(rows::add);
      next = page.path("next").asLong(after);
    } while (next > after);
    if (json) {
      rows.forEach(console::json);
    } else {
      table().print(rows, console);
    }
    return 0;
  }

  private static Table<JsonNode> table() {
    return new Table<JsonNode>()
        .number("row", row -> row.path("number").asText())
        .text("model", RowsCommand::model)
        .text("device", row -> field(row, "device"))
        .text("mode", row -> field(row, "mode"))
        .number("batch", row -> field(row, "batch_size"))
        .number("utilization %", row -> field(row, "utilization_percent"))
        .number("memory bytes", row -> field(row, "peak_memory_bytes"))
        .text(
            "namespace",
            row ->
                row.path("namespace").asText("").isEmpty() ? "*" : row.path("namespace").asText())
        .text("source", row -> field(row, "source"));
  }

  /** The registered model of a row, or the family of one with features of its own. */
  private static String model(JsonNode row) {
    JsonNode fields = row.path("fields");
    return fields.path("topology").asText(fields.path("family").asText("-"));
  }

  private static String field(JsonNode row, String name) {
    return row.path("fields").path(name).asText("-");
  }

  @Command(
      name = "add",
      mixinStandardHelpOptions = true,
      description = {
        "Adds the rows of a CSV, whose first line names its columns (docs/life-cycle.md).",
        "Exit code 1 if a row is rejected; the others are stored."
      })
  int add(
      @Mixin RemoteOptions remote,
      @Parameters(paramLabel = "FILE.csv", description = "Rows, of at most 16 MiB.") Path file,
      @Option(
              names = {"-n", "--namespace"},
              paramLabel = "NAMESPACE",
              description = "Namespace whose predictions the rows change (default: all).")
          @Nullable String namespace)
      throws InterruptedException {
    byte[] rows = InputFiles.read(file, "measured runs (CSV)", MAX_BYTES);
    String query = parameter("namespace", namespace).replaceFirst("^&", "?");
    JsonNode added = remote.service().post(PATH + query, rows, "text/csv", "added");
    console.line(
        added.path("added").asText()
            + " added, "
            + added.path("duplicates").asText()
            + " stored before, "
            + added.path("rejected").size()
            + " rejected");
    added
        .path("ignored_columns")
        .forEach(column -> console.note("note: column " + column.asText() + " means nothing"));
    for (JsonNode rejected : added.path("rejected")) {
      console.error(
          file + ":" + rejected.path("line").asText() + ": " + rejected.path("reason").asText());
    }
    return added.path("rejected").isEmpty() ? 0 : Failures.JOB_FAILED;
  }

  /** One row, or those of a source. */
  static final class Which {
    @Option(
        names = "--source",
        paramLabel = "SOURCE",
        description = "All rows of this source, as in 'rows list'.")
    private @Nullable String source;

    @Option(names = "--row", paramLabel = "N", description = "The row of this number.")
    private @Nullable Long number;

    private String path() {
      return number == null
          ? PATH + parameter("source", source).replaceFirst("^&", "?")
          : PATH + "/" + number;
    }
  }

  @Command(
      name = "withdraw",
      mixinStandardHelpOptions = true,
      description = {
        "Withdraws rows: measured-run predictions and later trainings no longer use them.",
        "Versions trained with them stay."
      })
  int withdraw(@Mixin RemoteOptions remote, @ArgGroup(multiplicity = "1") Which which)
      throws InterruptedException {
    int withdrawn = remote.service().delete(which.path(), "withdrawn").path("withdrawn").asInt();
    console.line(withdrawn == 1 ? "1 row is withdrawn." : withdrawn + " rows are withdrawn.");
    return 0;
  }

  private static String parameter(String name, @Nullable String value) {
    return value == null ? "" : "&" + name + "=" + RemoteService.escaped(value);
  }
}
