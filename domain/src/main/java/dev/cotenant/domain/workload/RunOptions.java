package dev.cotenant.domain.workload;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Utilization;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Run settings as named texts: options, JSON fields, columns, annotations. */
public final class RunOptions {
  public static final String MODE = "mode";
  public static final String PRECISION = "precision";
  public static final String FRAMEWORK = "framework";
  public static final String OPTIMIZER = "optimizer";
  public static final String CHECKPOINTING = "checkpointing";
  public static final String REQUEST_RATE = "request_rate";
  public static final String INPUT_BOUND = "input_bound_percent";
  public static final String UTILIZATION_LIMIT = "utilization_limit_percent";

  /** Every name; each may be absent. */
  public static final List<String> NAMES =
      List.of(
          MODE,
          PRECISION,
          FRAMEWORK,
          OPTIMIZER,
          CHECKPOINTING,
          REQUEST_RATE,
          INPUT_BOUND,
          UTILIZATION_LIMIT);

  private static final Pattern NUMBER =
      Pattern.compile("-?[0-9]{1,30}(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?");

  private final Function<String, @Nullable String> texts;

  private RunOptions(Function<String, @Nullable String> texts) {
    this.texts = texts;
  }

  /**
   * Reads settings; absent ones are defaults. A request rate implies inference.
   *
   * @param texts the text of a name, null where it is absent
   * @throws InputException when a text is invalid or options contradict each other
   */
  public static RunSettings read(Function<String, @Nullable String> texts) {
    return new RunOptions(texts).settings();
  }

  /** The settings as texts by name; mode and precision always, others unless they are default. */
  public static Map<String, String> texts(RunSettings settings) {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put(MODE, settings.mode().toString());
    texts.put(PRECISION, settings.precision().toString());
    putOther(texts, FRAMEWORK, settings.framework(), RunSettings.DEFAULT.framework());
    TrainingRecipe recipe = settings.recipe();
    putOther(texts, OPTIMIZER, recipe.optimizer(), TrainingRecipe.DEFAULT.optimizer());
    putOther(texts, CHECKPOINTING, recipe.checkpointing(), TrainingRecipe.DEFAULT.checkpointing());
    switch (settings.load()) {
      case Load.Unstated _ -> {}
      case Load.RequestRate(double perSecond, _) ->
          texts.put(REQUEST_RATE, String.valueOf(perSecond));
      case Load.InputWait(double share) -> texts.put(INPUT_BOUND, String.valueOf(100 * share));
      case Load.UtilizationLimit(Utilization highest) ->
          texts.put(UTILIZATION_LIMIT, String.valueOf(highest.percent()));
    }
    return texts;
  }

  private static void putOther(
      Map<String, String> texts, String name, Object value, Object otherwise) {
    if (!value.equals(otherwise)) {
      texts.put(name, value.toString());
    }
  }

  private RunSettings settings() {
    RunSettings otherwise = RunSettings.DEFAULT;
    Load load = load();
    ExecutionMode implied =
        load instanceof Load.RequestRate ? ExecutionMode.INFERENCE : otherwise.mode();
    return new RunSettings(
        choice(MODE, ExecutionMode::parse, implied),
        choice(PRECISION, Precision::parse, otherwise.precision()),
        choice(FRAMEWORK, Framework::parse, otherwise.framework()),
        new TrainingRecipe(
            choice(OPTIMIZER, Optimizer::parse, otherwise.recipe().optimizer()),
            choice(CHECKPOINTING, Checkpointing::parse, otherwise.recipe().checkpointing())),
        load);
  }

  private <T> T choice(String name, Function<String, T> parser, T otherwise) {
    String text = texts.apply(name);
    return text == null ? otherwise : parser.apply(text);
  }

  private Load load() {
    List<String> stated =
        List.of(REQUEST_RATE, INPUT_BOUND, UTILIZATION_LIMIT).stream()
            .filter(name -> texts.apply(name) != null)
            .toList();
    if (stated.size() > 1) {
      throw InputException.invalidArgument(
          "several-loads", "State one of " + String.join(", ", stated) + ", not several.");
    }
    return stated.isEmpty() ? Load.UNSTATED : load(stated.getFirst());
  }

  private Load load(String name) {
    double number = number(name);
    return switch (name) {
      case REQUEST_RATE -> new Load.RequestRate(number);
      case INPUT_BOUND -> new Load.InputWait(number / 100);
      default -> limit(number);
    };
  }

  private static Load limit(double percent) {
    if (!(percent >= 0 && percent <= 100)) {
      throw InputException.invalidArgument(
          "utilization-limit-out-of-range",
          "The utilization limit must be above 0 and at most 100 %, is " + percent + " %.");
    }
    return new Load.UtilizationLimit(Utilization.ofPercent(percent));
  }

  private double number(String name) {
    String text = String.valueOf(texts.apply(name));
    if (NUMBER.matcher(text).matches()) {
      return Double.parseDouble(text);
    }
    throw InputException.invalidArgument(
        "not-a-number", "'" + name + "' must be a number, is '" + text + "'.");
  }
}
