package dev.cotenant.cli.training;

import dev.cotenant.cli.placement.PlacementTrainer;
import dev.cotenant.cli.remote.ServiceTraining;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.datasets.named.LicenceScope;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.evaluation.learner.Learners;
import dev.cotenant.evaluation.predictor.LearnerEvaluation;
import dev.cotenant.evaluation.predictor.ModelCard;
import dev.cotenant.evaluation.predictor.PredictorEvaluation;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.hybrid.HybridTrainer;
import dev.cotenant.predictor.train.TrainedModel;
import dev.cotenant.predictor.train.TrainingSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A predictor from measured runs. */
@Command(
    name = "train",
    mixinStandardHelpOptions = true,
    resourceBundle = FormatTexts.NAME,
    description = {
      "Trains a predictor from measured runs, or the named task, and writes it with its model"
          + " card."
    },
    footer = {
      "",
      "Rows whose licence forbids commercial use are left out. Same data and seed: same model."
    })
public final class TrainCommand implements Callable<Integer> {
  private static final String MODEL_FILE = "predictor.model";

  private final Console console;
  private final Supplier<DeviceCatalogue> devices;

  @Parameters(
      arity = "0..1",
      paramLabel = "TASK",
      description = {
        "forecast: the peak forecaster, from series. placement: InSS's placement for the lab, on",
        "simulated rates; goes on where an earlier training in --out ended. Else the predictor,",
        "from runs."
      })
  private @Nullable String task;

  @Mixin private ServiceTraining service = new ServiceTraining();

  @Mixin private DataOptions options = new DataOptions();

  @Option(
      names = "--learner",
      paramLabel = "NAME",
      defaultValue = "hybrid",
      description = {
        "Tree learner of the corrections: hybrid (default), smile-forest, tribuo-cart or",
        "tribuo-random-forest. The service serves the file of each."
      })
  private String learner = "";

  @Option(
      names = "--episodes",
      paramLabel = "N",
      defaultValue = "1500",
      description = "Of placement: number of episodes of training (default 1500).")
  private int episodes;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "model",
      description = "Folder of the model file and its model card (default model).")
  private Path out = Path.of("");

  public TrainCommand(Console console, Supplier<DeviceCatalogue> devices) {
    this.console = console;
    this.devices = devices;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (service.isWanted()) {
      return service.train(console);
    }
    if (task != null) {
      train(task);
      return 0;
    }
    int seeds = options.seeds();
    TrainingSettings settings = Learners.settings(learner, options.seed());
    DeviceCatalogue catalogue = devices.get();
    List<ProfileSource.Result> read =
        new DataSets(console).runs(options.data(), LicenceScope.COMMERCIAL, catalogue);
    Files.createDirectories(out);

    TrainedModel trained = train(read, new HybridTrainer(catalogue, settings));
    trained.writeTo(out.resolve(MODEL_FILE));
    console.line("wrote " + out.resolve(MODEL_FILE) + " (" + Predictor.of(trained).version() + ")");

    List<ProfileRow> rows = read.stream().flatMap(set -> set.rows().stream()).toList();
    List<EvaluationRow> table =
        new ArrayList<>(evaluate(rows, new PredictorEvaluation(catalogue, settings, seeds)));
    table.addAll(compare(rows, new LearnerEvaluation(catalogue, settings)));
    for (Path file : new ModelCard(Predictor.of(trained), table).writeTo(out)) {
      console.line("wrote " + file);
    }
    return 0;
  }

  private void train(String wanted) throws IOException {
    switch (wanted) {
      case "forecast" -> new ForecastTraining(console).train(options.data(), options.seed(), out);
      case "placement" -> new PlacementTrainer(console).train(options.seed(), episodes, out);
      default ->
          throw InputException.invalidArgument(
              "unknown-task",
              "Unknown task '"
                  + wanted
                  + "': use forecast or placement, or none for the predictor of workloads.");
    }
  }

  private TrainedModel train(List<ProfileSource.Result> read, HybridTrainer trainer) {
    try (Progress progress = console.progress("Training")) {
      return trainer.train(read, Steps.shownOn(progress));
    }
  }

  private List<EvaluationRow> compare(List<ProfileRow> rows, LearnerEvaluation evaluation) {
    try (Progress progress = console.progress("Comparing learners")) {
      return evaluation.evaluate(rows, Steps.shownOn(progress));
    }
  }

  private List<EvaluationRow> evaluate(List<ProfileRow> rows, PredictorEvaluation evaluation) {
    try (Progress progress = console.progress("Evaluating")) {
      return evaluation.evaluate(rows, Steps.shownOn(progress));
    }
  }
}
