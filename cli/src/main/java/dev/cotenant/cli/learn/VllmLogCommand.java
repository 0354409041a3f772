package dev.cotenant.cli.learn;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.domain.text.Table;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.serving.LearnedServing;
import dev.cotenant.llm.serving.LearnedServingFile;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.ServingRun;
import dev.cotenant.llm.source.ModelReader;
import dev.cotenant.llm.startup.EngineStart;
import dev.cotenant.llm.startup.StartRuns;
import dev.cotenant.llm.startup.StartupLog;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Coefficients of a release of vLLM, from the lines that it logs when it starts. */
@Command(
    name = "vllm-log",
    mixinStandardHelpOptions = true,
    description = {
      "Learns coefficients of each release of vLLM from the logs of its starts.",
      "'predict --constants' uses them as long as they predict later starts better than the"
          + " shipped coefficients."
    })
final class VllmLogCommand implements Callable<Integer> {
  private final Console console;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Logs, the oldest first.")
  private List<Path> files = List.of();

  @Option(
      names = "--volume",
      paramLabel = "NAME=DIR",
      description = "Local directory of a model name or path in a log; repeatable.")
  private Map<String, Path> volumes = new LinkedHashMap<>();

  @Option(
      names = "--constants",
      required = true,
      paramLabel = "FILE.json",
      description = "File of learned coefficients; read if it exists, then written.")
  private Path constants = Path.of("");

  @Option(names = "--json", description = "JSON output, one release a line.")
  private boolean json;

  VllmLogCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    LearnedServing before =
        Files.exists(constants)
            ? LearnedServingFile.read(Files.readAllBytes(constants), constants.toString())
            : LearnedServing.NONE;
    List<ServingRun> runs = new ArrayList<>();
    for (Path file : files) {
      read(file, runs);
    }
    LearnedServing after = before.with(runs);
    write(after);
    console.note(
        constants
            + ": "
            + Words.count(after.size())
            + " starts, "
            + runs.size()
            + " in these logs");
    if (json) {
      after.releases().forEach(release -> console.json(ReleaseView.of(release)));
    } else {
      print(after);
    }
    for (LearnedServing.Release release : after.releases()) {
      if (before.isPromoted(release.version()) && !release.promoted()) {
        console.note(
            "rolled back: vLLM "
                + release.version()
                + ": the shipped coefficients are better again");
      }
    }
    return runs.isEmpty() ? 1 : 0;
  }

  private void read(Path file, List<ServingRun> runs) {
    StartupLog log;
    try (InputStream in = Files.newInputStream(file)) {
      log = StartupLog.read(in, PlainText.of(file.toString()));
    } catch (IOException e) {
      throw new InputException(
          InputException.Kind.MALFORMED, "log-unreadable", file + ": cannot be read.", e);
    }
    log.rejected().forEach(line -> console.note("skipped: " + line));
    if (log.starts().isEmpty() && log.rejected().isEmpty()) {
      console.note("skipped: " + file + ": holds no start of vLLM");
    }
    for (EngineStart start : log.starts()) {
      Path folder = volumes.get(start.model());
      if (folder == null) {
        console.note(
            "skipped: "
                + start.place()
                + ": say where its model lies with --volume "
                + start.model()
                + "=DIR");
        continue;
      }
      LanguageModel model = ModelReader.standard().read(folder);
      try {
        runs.add(StartRuns.of(start, model, new ServingCard("unknown", 80 * MemorySize.GIB)));
      } catch (InputException e) {
        console.note("skipped: " + start.place() + ": " + e.getMessage());
      }
    }
  }

  private void write(LearnedServing learned) throws IOException {
    Path beside = constants.resolveSibling(constants.getFileName() + ".new");
    Files.writeString(beside, LearnedServingFile.write(learned));
    Files.move(beside, constants, StandardCopyOption.REPLACE_EXISTING);
  }

  private void print(LearnedServing learned) {
    new Table<LearnedServing.Release>()
        .text("vLLM", release -> release.version().toString())
        .number("starts", release -> Words.count(release.starts()))
        .number("predicted", release -> Words.count(release.scored()))
        .number("error of shipped, GiB", release -> gib(release.shippedError()))
        .number("error of learned, GiB", release -> gib(release.learnedError()))
        .number("bytes a logit", release -> number(release.learned().logitBytes()))
        .number("graphs, constant, GiB", release -> gib(release.learned().graphBytes()[0]))
        .text("in force", release -> release.promoted() ? "learned" : "shipped")
        .print(learned.releases(), console);
  }

  private static String gib(double bytes) {
    return number(bytes / MemorySize.GIB);
  }

  private static String number(double value) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.3f", value);
  }
}
