package dev.cotenant.admission.pod;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.Checkpointing;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Framework;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Optimizer;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.TrainingRecipe;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads our annotations; an invalid one becomes a problem and counts as absent. */
final class AnnotationReader {
  /** Of models that are not named as registered ones are. */
  private static final Pattern MODEL =
      Pattern.compile(
          "sha256:[0-9a-f]{64}"
              + "|[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9._-]{1,96}"
              + "|(?:/[A-Za-z0-9._-]{1,96}){1,8}"
              + "|https://[A-Za-z0-9][A-Za-z0-9._~+=:/-]{0,503}");

  private static final Pattern ENGINE_VERSION =
      Pattern.compile("v?[0-9]{1,4}\\.[0-9]{1,4}(?:[.+a-z-][A-Za-z0-9._+-]{0,100})?");
  private static final Pattern TOKENS = Pattern.compile("[1-9][0-9]{0,6}");
  private static final Pattern DECIMAL = Pattern.compile("\\d{1,9}(?:\\.\\d{1,9})?");
  private static final int MAX_NAME = 128;
  private static final int MAX_DIGITS = 9;
  private static final Set<String> KNOWN =
      Stream.concat(CotenantAnnotations.READ.stream(), CotenantAnnotations.WRITTEN.stream())
          .collect(Collectors.toUnmodifiableSet());
  private static final Duration MAX_STAY = Duration.ofDays(365);
  private static final Duration MAX_LATENCY = Duration.ofHours(24);

  private static final String NO_SPEED =
      "absent on a server, whose speed is that of its requests: name its latency-metric";

  private final Map<String, String> annotations;
  private final Problems problems;

  AnnotationReader(Map<String, String> annotations, Problems problems) {
    this.annotations = ours(annotations);
    this.problems = problems;
  }

  /** Of a pod's annotations those that begin as ours do, for lookups by twenty names. */
  private static Map<String, String> ours(Map<String, String> annotations) {
    Map<String, String> ours = new HashMap<>();
    for (Map.Entry<String, String> annotation : annotations.entrySet()) {
      if (annotation.getKey().startsWith(CotenantAnnotations.PREFIX)) {
        ours.put(annotation.getKey(), annotation.getValue());
      }
    }
    return ours;
  }

  /** Settings that override the pod's containers. */
  EngineRuns.Overrides overrides() {
    return new EngineRuns.Overrides(
        annotations.get(CotenantAnnotations.MODEL),
        read(
            CotenantAnnotations.ENGINE_VERSION,
            "a version, such as 0.19 or v0.19.0",
            text -> Optional.of(text).filter(some -> ENGINE_VERSION.matcher(some).matches())),
        tokens(CotenantAnnotations.PROMPT_TOKENS),
        tokens(CotenantAnnotations.GENERATED_TOKENS));
  }

  private @Nullable Long tokens(String name) {
    return read(
        name,
        "a whole number of tokens from 1 to 9999999",
        text ->
            Optional.of(text).filter(some -> TOKENS.matcher(some).matches()).map(Long::valueOf));
  }

  /**
   * The workload.
   *
   * @param engine how a container runs a language model; null where nothing says so
   */
  WorkloadAnnotations read(@Nullable EngineRun engine) {
    @Nullable String model = model();
    int batchSize = batchSize();
    @Nullable ExecutionMode mode =
        choice(CotenantAnnotations.MODE, "training or inference", ExecutionMode::parse);
    @Nullable MemorySize memory = memory();
    boolean trains = mode == ExecutionMode.TRAINING;
    @Nullable Duration latency = latency(trains);
    boolean serves = engine != null && engine.kind() != EngineRun.Kind.TRAINING;
    RunSettings settings = settings(mode, latency, serves);
    checkMeasuring(serves || settings.load() instanceof Load.RequestRate);
    return new WorkloadAnnotations(
        model,
        batchSize,
        settings,
        memory,
        latency,
        slowdown(),
        riskBudget(),
        unknown(),
        engine,
        stay());
  }

  /** Metric annotations are not part of the workload; they are only checked here. */
  private void checkMeasuring(boolean serves) {
    read(
        CotenantAnnotations.SPEED_METRIC,
        serves ? NO_SPEED : MetricQuery.SPEED_FORMS,
        text -> MetricQuery.speed(text).filter(_ -> !serves));
    read(CotenantAnnotations.LATENCY_METRIC, MetricQuery.LATENCY_FORMS, MetricQuery::latency);
    read(CotenantAnnotations.RATE_METRIC, MetricQuery.RATE_FORMS, MetricQuery::rate);
    read(
        CotenantAnnotations.ON_SLOWDOWN,
        "evict or stay",
        text -> Optional.of(text).filter(word -> word.equals("evict") || word.equals("stay")));
  }

  private RunSettings settings(
      @Nullable ExecutionMode stated, @Nullable Duration latency, boolean serves) {
    Load.@Nullable RequestRate rate = requestRate(stated == ExecutionMode.TRAINING);
    ExecutionMode implied =
        latency == null && rate == null && !serves
            ? ExecutionMode.TRAINING
            : ExecutionMode.INFERENCE;
    ExecutionMode mode = stated == null ? implied : stated;
    @Nullable Precision precision =
        choice(
            CotenantAnnotations.PRECISION,
            "fp32, tf32, fp16, bf16, amp or amp-bf16",
            Precision::parse);
    RunSettings settings =
        RunSettings.of(mode, precision == null ? Precision.FP32 : precision)
            .withRecipe(recipe())
            .withFramework(framework(mode));
    return settings.withLoad(load(mode, rate));
  }

  private Framework framework(ExecutionMode mode) {
    String rule =
        mode == ExecutionMode.TRAINING
            ? "pytorch, pytorch-1, pytorch-2 or tensorflow for training"
            : "pytorch, pytorch-1, pytorch-2, tensorflow, onnx-runtime or tensorrt";
    @Nullable Framework framework =
        read(
            CotenantAnnotations.FRAMEWORK,
            rule,
            text ->
                parsed(text, Framework::parse)
                    .filter(some -> mode == ExecutionMode.INFERENCE || some.trains()));
    return framework == null ? Framework.PYTORCH : framework;
  }

  private TrainingRecipe recipe() {
    TrainingRecipe otherwise = TrainingRecipe.DEFAULT;
    @Nullable Optimizer optimizer =
        choice(
            CotenantAnnotations.OPTIMIZER,
            "sgd, momentum, rmsprop, adagrad, adam or adamw",
            Optimizer::parse);
    @Nullable Checkpointing checkpointing =
        choice(CotenantAnnotations.CHECKPOINTING, "none or segments", Checkpointing::parse);
    return new TrainingRecipe(
        optimizer == null ? otherwise.optimizer() : optimizer,
        checkpointing == null ? otherwise.checkpointing() : checkpointing);
  }

  private Load load(ExecutionMode mode, Load.@Nullable RequestRate rate) {
    @Nullable Load wait = trainingLoad(mode, CotenantAnnotations.INPUT_BOUND);
    @Nullable Load limit = trainingLoad(mode, CotenantAnnotations.UTILIZATION_LIMIT);
    if (wait != null && limit != null) {
      problems.add(
          CotenantAnnotations.UTILIZATION_LIMIT,
          annotations.getOrDefault(CotenantAnnotations.UTILIZATION_LIMIT, ""),
          "absent where " + CotenantAnnotations.INPUT_BOUND + " is stated");
    }
    @Nullable Load ofTraining = wait == null ? limit : wait;
    @Nullable Load stated = mode == ExecutionMode.INFERENCE ? rate : ofTraining;
    return stated == null ? Load.UNSTATED : stated;
  }

  private @Nullable Load trainingLoad(ExecutionMode mode, String name) {
    boolean isWait = name.equals(CotenantAnnotations.INPUT_BOUND);
    return read(
        name,
        isWait
            ? "a percentage from 0 to below 100, of training"
            : "a percentage above 0 and at most 100, of training",
        text ->
            decimal(text)
                .filter(_ -> mode == ExecutionMode.TRAINING)
                .filter(percent -> isWait ? percent < 100 : percent > 0 && percent <= 100)
                .map(percent ->
                    isWait
                        ? new Load.InputWait(percent / 100)
                        : new Load.UtilizationLimit(Utilization.ofPercent(percent))));
  }

  private <T> @Nullable T choice(String name, String rule, Function<String, T> parser) {
    return read(name, rule, text -> parsed(text, parser));
  }

  private static <T> Optional<T> parsed(String text, Function<String, T> parser) {
    try {
      return Optional.of(parser.apply(text));
    } catch (InputException e) { // the rule of the annotation says what is valid
      return Optional.empty();
    }
  }

  private @Nullable Duration latency(boolean trains) {
    return read(
        CotenantAnnotations.SLO_LATENCY,
        trains ? "absent of training" : "a positive duration up to 24h, such as 40ms",
        text ->
            GoDuration.parse(text, MAX_LATENCY).filter(Duration::isPositive).filter(_ -> !trains));
  }

  private @Nullable Duration stay() {
    return read(
        CotenantAnnotations.EXPECTED_STAY,
        "a positive duration up to 8760h, such as 8h",
        text -> GoDuration.parse(text, MAX_STAY).filter(Duration::isPositive));
  }

  private Load.@Nullable RequestRate requestRate(boolean trains) {
    return read(
        CotenantAnnotations.REQUEST_RATE,
        trains ? "absent of training" : "a positive number of requests per second, such as 200",
        text ->
            decimal(text)
                .filter(value -> value > 0)
                .filter(_ -> !trains)
                .map(Load.RequestRate::new));
  }

  private @Nullable String model() {
    return read(
        CotenantAnnotations.MODEL,
        "a registered model's name (letters, digits, '.', '_', '-'), sha256: and 64 digits, or a"
            + " language model's ORGANISATION/NAME or path",
        text ->
            Optional.of(text).filter(name -> isRegistered(name) || MODEL.matcher(name).matches()));
  }

  /** Letters and digits, with dots, hyphens and underscores between: no pattern, as most are. */
  private static boolean isRegistered(String name) {
    int end = name.length() - 1;
    if (end < 0 || end >= MAX_NAME || !isAlphanumeric(name, 0) || !isAlphanumeric(name, end)) {
      return false;
    }
    for (int i = 1; i < end; i++) {
      if (!isAlphanumeric(name, i) && "._-".indexOf(name.charAt(i)) < 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean isAlphanumeric(String name, int index) {
    char unit = name.charAt(index);
    return (unit >= 'a' && unit <= 'z')
        || (unit >= 'A' && unit <= 'Z')
        || (unit >= '0' && unit <= '9');
  }

  private int batchSize() {
    @Nullable Integer batch =
        read(
            CotenantAnnotations.BATCH_SIZE,
            "a whole number from 1 to 999999999",
            AnnotationReader::positive);
    return batch == null ? 1 : batch;
  }

  /** Up to nine digits behind any zeros: no pattern, as most pods state it. */
  private static Optional<Integer> positive(String text) {
    int number = 0;
    int digits = 0;
    for (int i = 0; i < text.length(); i++) {
      char digit = text.charAt(i);
      if (digit < '0' || digit > '9' || digits == MAX_DIGITS) {
        return Optional.empty();
      }
      number = 10 * number + (digit - '0');
      digits += number > 0 ? 1 : 0;
    }
    return number > 0 ? Optional.of(number) : Optional.empty();
  }

  private @Nullable MemorySize memory() {
    return read(
        CotenantAnnotations.GPU_MEMORY,
        "a quantity from 1Mi to 1Ti, such as 8Gi",
        text ->
            KubernetesQuantity.parse(text)
                .filter(quantity -> quantity.isBetween(1L << 20, 1L << 40))
                .map(AnnotationReader::bytesRoundedUp));
  }

  private @Nullable Slowdown slowdown() {
    return read(
        CotenantAnnotations.MAX_SLOWDOWN,
        "a ratio of at least 1, such as 1.15",
        text -> decimal(text).filter(ratio -> ratio >= 1).map(Slowdown::ofRatio));
  }

  private @Nullable Double riskBudget() {
    return read(
        CotenantAnnotations.RISK_BUDGET,
        "a percentage from 0 to 100, such as 5",
        text -> decimal(text).filter(percent -> percent <= 100).map(percent -> percent / 100));
  }

  private List<String> unknown() {
    List<String> unknown = new ArrayList<>(0);
    for (String name : annotations.keySet()) {
      if (!KNOWN.contains(name)) {
        unknown.add(name);
      }
    }
    unknown.sort(null);
    return List.copyOf(unknown);
  }

  private <T> @Nullable T read(String name, String rule, Function<String, Optional<T>> parser) {
    @Nullable String text = annotations.get(name);
    if (text == null) {
      return null;
    }
    Optional<T> value = parser.apply(text);
    if (value.isEmpty()) {
      problems.add(name, text, rule);
    }
    return value.orElse(null);
  }

  private static Optional<Double> decimal(String text) {
    return Optional.of(text)
        .filter(number -> DECIMAL.matcher(number).matches())
        .map(Double::valueOf);
  }

  private static MemorySize bytesRoundedUp(KubernetesQuantity quantity) {
    BigDecimal bytes = quantity.value().setScale(0, RoundingMode.CEILING);
    return MemorySize.ofBytes(bytes.longValueExact());
  }
}
