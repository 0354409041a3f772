package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.datasets.named.LicenceScope;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.engine.Engine;
import dev.cotenant.predictor.train.ForestTrainer;
import dev.cotenant.predictor.train.TrainedForest;
import dev.cotenant.predictor.train.TrainingSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A predictor from measured runs. */
@Command(
    name = "train",
    mixinStandardHelpOptions = true,
    description = "Trains a predictor from measured runs and writes it with its card.",
    footer = {
      "",
      "Sets: gpumemnet:FILE, named-models:FILE. Rows whose licence forbids commercial use are",
      "left out. Same data, same seed: same trees."
    })
public final class TrainCommand implements Callable<Integer> {
  private static final String MODEL_FILE = "predictor.forest";

  private final Console console;
  private final Supplier<Engine> engine;
  private final InstantSource clock;

  @Option(
      names = "--data",
      required = true,
      paramLabel = "FORMAT:PATH",
      description = "A set of measured runs; repeatable.")
  private List<String> data = List.of();

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Every random choice follows from it (default 1).")
  private long seed;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "model",
      description = "Where the model file and its card go (default model).")
  private Path out = Path.of("");

  public TrainCommand(Console console, Supplier<Engine> engine, InstantSource clock) {
    this.console = console;
    this.engine = engine;
    this.clock = clock;
  }

  @Override
  public Integer call() throws IOException {
    ProfileSets sets = new ProfileSets(engine, LicenceScope.COMMERCIAL);
    List<ProfileSource> sources = data.stream().map(sets::named).toList();
    List<ProfileSource.Result> read = sources.stream().map(ProfileSource::read).toList();
    read.forEach(this::describe);
    Files.createDirectories(out);
    Path file = out.resolve(MODEL_FILE);
    TrainedForest trained = train(read, clock.instant());
    trained.writeTo(file);
    console.line("wrote " + file + " (" + trained.predictor().version() + ")");
    return 0;
  }

  private void describe(ProfileSource.Result set) {
    console.note(
        Words.count(set.rows().size())
            + " rows read, "
            + Words.count(set.rejected().size())
            + " rejected, sha256 "
            + set.sha256());
  }

  private TrainedForest train(List<ProfileSource.Result> read, Instant now) {
    TrainingSettings settings = TrainingSettings.standard(seed, now);
    try (Progress progress = console.progress("Training")) {
      return new ForestTrainer(engine.get().devices(), settings)
          .train(
              read, (step, done, total) -> progress.step(step + " " + done + " of " + total));
    }
  }
}
