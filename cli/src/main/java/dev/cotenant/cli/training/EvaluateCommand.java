package dev.cotenant.cli.training;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.cli.terminal.Table;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.datasets.named.LicenceScope;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.forecast.evaluate.ForecastFigure;
import dev.cotenant.predictor.ForestPredictor;
import dev.cotenant.predictor.evaluate.EvaluationRow;
import dev.cotenant.predictor.evaluate.ForestEvaluation;
import dev.cotenant.predictor.evaluate.GivenTest;
import dev.cotenant.predictor.train.TrainingSettings;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** How wrong predictors are on runs they have not seen. */
@Command(
    name = "evaluate",
    mixinStandardHelpOptions = true,
    description = "Prints how wrong predictions are on what they have not seen, beside baselines.")
public final class EvaluateCommand implements Runnable {
  private static final String FORECAST = "forecast";
  private static final List<String> TASKS =
      List.of("utilization", "memory", InterferenceTables.TASK, FORECAST);

  private final Console console;

  @Parameters(
      arity = "0..1",
      paramLabel = "TASK",
      description =
          "utilization or memory, both where none is named; or interference; or forecast.")
  private @Nullable String task;

  @Mixin private DataOptions options = new DataOptions();

  @Option(
      names = "--test",
      paramLabel = "FORMAT:PATH",
      description = "What to test the shipped predictor or forecast on, instead; repeatable.")
  private List<String> test = List.of();

  @Option(
      names = "--train",
      paramLabel = "FORMAT:PATH",
      description = "Measured colocations to learn from before --test; repeatable.")
  private List<String> train = List.of();

  @Option(names = "--json", description = "One JSON object a figure and nothing else.")
  private boolean json;

  public EvaluateCommand(Console console) {
    this.console = console;
  }

  /** One figure. */
  record FigureView(
      @JsonProperty("task") String task,
      @JsonProperty("protocol") String protocol,
      @JsonProperty("model") String model,
      @JsonProperty("metric") String metric,
      @JsonProperty("value") double value,
      @JsonProperty("sd") double sd,
      @JsonProperty("min") double min,
      @JsonProperty("max") double max,
      @JsonProperty("rows") int rows,
      @JsonProperty("seeds") int seeds,
      @JsonProperty("reference") @Nullable Double reference) {
    static FigureView of(EvaluationRow row) {
      return new FigureView(
          row.task(),
          row.protocol(),
          row.model(),
          row.metric(),
          row.value(),
          row.sd(),
          row.min(),
          row.max(),
          row.rows(),
          row.seeds(),
          row.reference());
    }
  }

  @Override
  public void run() {
    if (task != null && !TASKS.contains(task)) {
      throw InputException.invalidArgument(
          "unknown-task",
          "Unknown task '" + task + "': use one of " + String.join(", ", TASKS) + ".");
    }
    if (FORECAST.equals(task)) {
      evaluateForecast();
      return;
    }
    List<EvaluationRow> rows =
        evaluate().stream().filter(row -> task == null || row.task().equals(task)).toList();
    if (json) {
      rows.forEach(row -> console.json(FigureView.of(row)));
    } else {
      print(rows);
    }
  }

  private void evaluateForecast() {
    ForecastTable table = new ForecastTable(console);
    List<ForecastFigure> figures =
        test.isEmpty() ? table.crossValidate(options.data(), options.seed()) : table.test(test);
    if (json) {
      table.printJson(figures);
    } else {
      table.print(figures);
    }
  }

  private List<EvaluationRow> evaluate() {
    if (isAboutColocations()) {
      return test.isEmpty()
          ? InterferenceTables.standing(options.data(), console)
          : InterferenceTables.given(train, test, console);
    }
    ProfileSets sets = new ProfileSets(LicenceScope.ANY);
    if (!test.isEmpty()) {
      List<ProfileRow> rows = rows(DataOptions.read(test, sets, console));
      return new GivenTest(ForestPredictor.builtIn(), DeviceCatalogue.builtIn()).evaluate(rows);
    }
    int seeds = options.seeds();
    List<ProfileRow> rows = rows(options.read(sets, console));
    TrainingSettings settings = TrainingSettings.standard(options.seed(), Instant.EPOCH);
    try (Progress progress = console.progress("Evaluating")) {
      return new ForestEvaluation(DeviceCatalogue.builtIn(), settings, seeds)
          .evaluate(rows, Steps.shownOn(progress));
    }
  }

  private boolean isAboutColocations() {
    return InterferenceTables.TASK.equals(task)
        || (!test.isEmpty() && test.stream().allMatch(ColocationSets::isColocation));
  }

  private static List<ProfileRow> rows(List<ProfileSource.Result> sets) {
    return sets.stream().flatMap(set -> set.rows().stream()).toList();
  }

  private void print(List<EvaluationRow> rows) {
    Table table =
        Table.of(
            "task",
            "protocol",
            "model",
            "metric",
            ">value",
            ">sd",
            ">min",
            ">max",
            ">rows",
            ">seeds",
            ">reference");
    for (EvaluationRow row : rows) {
      Double reference = row.reference();
      table.row(
          row.task(),
          row.protocol(),
          row.model(),
          row.metric(),
          number(row.value()),
          number(row.sd()),
          number(row.min()),
          number(row.max()),
          Words.count(row.rows()),
          String.valueOf(row.seeds()),
          reference == null ? "" : number(reference));
    }
    table.print(console);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value >= 10 ? "%.1f" : "%.4f", value);
  }
}
