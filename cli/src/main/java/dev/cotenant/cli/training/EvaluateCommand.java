package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.datasets.Importers;
import dev.cotenant.datasets.named.LicenceScope;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.evaluation.compare.Table3;
import dev.cotenant.evaluation.forecast.SizingEvaluation;
import dev.cotenant.evaluation.predictor.GivenTest;
import dev.cotenant.evaluation.predictor.HybridUtilization;
import dev.cotenant.evaluation.predictor.LearnerEvaluation;
import dev.cotenant.evaluation.predictor.PredictorEvaluation;
import dev.cotenant.evaluation.steptime.StepTimeFigures;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.train.TrainingSettings;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** How wrong predictors are on runs they have not seen. */
@Command(
    name = "evaluate",
    mixinStandardHelpOptions = true,
    resourceBundle = FormatTexts.NAME,
    description = "Reports prediction errors on held-out data, with baselines.")
public final class EvaluateCommand implements Runnable {
  private static final String LEARNERS = "learners";
  private static final List<String> TASKS =
      List.of(
          "utilization",
          "memory",
          LEARNERS,
          InterferenceTables.TASK,
          ForecastTables.TASK,
          SizingEvaluation.TASK,
          PlanTables.TASK,
          ServiceTables.TASK,
          StepTimeTables.TASK,
          LlmTables.TASK,
          FillTables.TASK,
          ShareabilityTables.TASK);

  private static final Set<String> SEVERAL_TARGETS = Set.of(LEARNERS, ShareabilityTables.TASK);

  /** Draws of 81 rows scatter. */
  private static final int MIN_DRAWS = 200;

  private final Console console;
  private final Supplier<DeviceCatalogue> devices;

  @Parameters(
      arity = "0..1",
      paramLabel = "TASK",
      description =
          "utilization or memory, both where none is named; or learners, interference, forecast,"
              + " right-size, plan, services, step-time, llm, fill or shareability.")
  private @Nullable String task;

  @Mixin private DataOptions options = new DataOptions();

  @Option(
      names = "--test",
      paramLabel = "FORMAT:PATH",
      description =
          "Rows on which the shipped predictor or forecast is tested instead; repeatable.")
  private List<String> test = List.of();

  @Option(
      names = "--train",
      paramLabel = "FORMAT:PATH",
      description = "Measured colocations to learn from before --test; repeatable.")
  private List<String> train = List.of();

  @Option(names = "--json", description = "JSON output, one object per figure.")
  private boolean json;

  public EvaluateCommand(Console console, Supplier<DeviceCatalogue> devices) {
    this.console = console;
    this.devices = devices;
  }

  @Override
  public void run() {
    if (task != null && !TASKS.contains(task)) {
      throw InputException.unknown("task", task, TASKS);
    }
    if (StepTimeTables.TASK.equals(task)) {
      printStepTimes();
      return;
    }
    if (LlmTables.TASK.equals(task)) {
      new LlmTables(console).evaluate(options.data(), test, json);
      return;
    }
    if (FillTables.TASK.equals(task)) {
      new FillTables(console, devices.get()).evaluate(options.data(), options.seed(), json);
      return;
    }
    List<EvaluationRow> rows =
        evaluate().stream()
            .filter(
                row -> task == null || SEVERAL_TARGETS.contains(task) || row.task().equals(task))
            .toList();
    EvaluationTable table = new EvaluationTable(rows);
    if (json) {
      table.printJson(console);
    } else if (SizingEvaluation.TASK.equals(task)) {
      table.printByModel(console);
      console.note("Excess: what is recommended above the peak of the next window, of that peak.");
    } else if (ForecastTables.TASK.equals(task)) {
      table.printByModel(console);
      console.note(
          "Coverage, headroom and restart coverage: of the bound on the peak of the next 10"
              + " samples; an estimator without a bound is taken as one.");
    } else {
      table.print(console);
      printBounds(rows);
    }
  }

  private void printStepTimes() {
    StepTimeTables tables = new StepTimeTables(console);
    List<StepTimeFigures> figures = tables.evaluate(options.data(), test);
    if (json) {
      figures.forEach(line -> line.rowsOfEvaluation().forEach(console::json));
    } else {
      tables.print(figures);
    }
  }

  private void printBounds(List<EvaluationRow> rows) {
    BoundTable bounds = new BoundTable(rows);
    if (!bounds.isEmpty()) {
      console.line("");
      bounds.lines().forEach(console::line);
    }
  }

  private List<EvaluationRow> evaluate() {
    if (ForecastTables.TASK.equals(task)) {
      return test.isEmpty()
          ? ForecastTables.standing(options.data(), options.seed(), console)
          : ForecastTables.given(test, console);
    }
    if (SizingEvaluation.TASK.equals(task)) {
      return ForecastTables.sizing(options.data(), options.seed(), console);
    }
    if (ShareabilityTables.TASK.equals(task)) {
      return ShareabilityTables.of(options, test, devices.get(), console);
    }
    if (PlanTables.TASK.equals(task)) {
      return PlanTables.standing(options.data(), options.seed(), console);
    }
    if (ServiceTables.TASK.equals(task)) {
      return ServiceTables.standing(options.seeds(), options.seed(), console);
    }
    if (isAboutColocations()) {
      return test.isEmpty()
          ? InterferenceTables.standing(options.data(), console)
          : InterferenceTables.given(train, test, console);
    }
    DataSets sets = new DataSets(console);
    if (!test.isEmpty()) {
      List<ProfileRow> rows = rows(sets.runs(test, LicenceScope.ANY, devices.get()));
      List<ProfileRow> known =
          options.data().isEmpty()
              ? List.of()
              : rows(sets.runs(options.data(), LicenceScope.COMMERCIAL, devices.get()));
      return new GivenTest(Predictor.builtIn(), devices.get(), known).evaluate(rows, targets());
    }
    int seeds = options.seeds();
    List<ProfileRow> rows = rows(sets.runs(options.data(), LicenceScope.ANY, devices.get()));
    TrainingSettings settings = TrainingSettings.standard(options.seed());
    if (LEARNERS.equals(task)) {
      return learners(rows, settings);
    }
    List<EvaluationRow> table = new ArrayList<>();
    try (Progress progress = console.progress("Evaluating")) {
      table.addAll(
          new PredictorEvaluation(devices.get(), settings, seeds)
              .evaluate(rows, targets(), Steps.shownOn(progress)));
    }
    if (targets().contains(Target.UTILIZATION)) {
      table.addAll(table3(rows, Math.max(MIN_DRAWS, seeds)));
    }
    return table;
  }

  private List<EvaluationRow> learners(List<ProfileRow> rows, TrainingSettings settings) {
    try (Progress progress = console.progress("Comparing learners")) {
      return new LearnerEvaluation(devices.get(), settings).evaluate(rows, Steps.shownOn(progress));
    }
  }

  private List<EvaluationRow> table3(List<ProfileRow> rows, int draws) {
    try (Progress progress = console.progress("Evaluating [UtilPred, Table 3]")) {
      return new Table3(devices.get(), options.seed(), console::note)
          .run(rows, draws, List.of(new HybridUtilization(devices.get())), Steps.shownOn(progress));
    }
  }

  private Set<Target> targets() {
    EnumSet<Target> targets = EnumSet.allOf(Target.class);
    targets.removeIf(target -> task != null && !task.equals(target.task()));
    return targets;
  }

  private boolean isAboutColocations() {
    return InterferenceTables.TASK.equals(task)
        || (!test.isEmpty() && test.stream().allMatch(Importers.COLOCATIONS::reads));
  }

  private static List<ProfileRow> rows(List<ProfileSource.Result> sets) {
    return sets.stream().flatMap(set -> set.rows().stream()).toList();
  }
}
