package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.decision.EngineStart;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SlowdownBasis;
import dev.cotenant.domain.decision.SlowdownRisk;
import dev.cotenant.domain.prediction.EngineMemory;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One numbered reason.
 *
 * @param number its place in the list, from 1
 * @param code the stable reason code
 * @param message one sentence with numbers and units
 * @param numbers the same numbers for machines; keys carry units
 */
public record ReasonView(
    @JsonProperty("number") int number,
    @JsonProperty("code") String code,
    @JsonProperty("message") String message,
    @JsonProperty("numbers") Map<String, Object> numbers) {
  private static final Pattern CAPITAL = Pattern.compile("[A-Z]");

  /** Keys that are not the component's name. */
  private static final Map<String, String> KEYS =
      Map.of(
          "gpuUuid", "gpu",
          "predicted", "predicted_slowdown",
          "profileTime", "profile",
          "batch", "batch_size",
          "least", "least_coverage",
          "pod", "ahead");

  /** Numbers the reasons from 1 in their order. */
  public static List<ReasonView> of(List<Reason> reasons) {
    return IntStream.range(0, reasons.size()).mapToObj(i -> of(i + 1, reasons.get(i))).toList();
  }

  private static ReasonView of(int number, Reason reason) {
    return new ReasonView(number, reason.code(), reason.sentence(), numbers(reason));
  }

  /** The components of the reason's record, by their names; {@code why} is in the message. */
  private static Map<String, Object> numbers(Reason reason) {
    Map<String, Object> numbers = new LinkedHashMap<>();
    for (RecordComponent component : reason.getClass().getRecordComponents()) {
      String name = component.getName();
      if (!name.equals("why")) {
        put(numbers, KEYS.getOrDefault(name, snakeCase(name)), value(component, reason));
      }
    }
    return numbers;
  }

  private static String snakeCase(String name) {
    return CAPITAL.matcher(name).replaceAll("_$0").toLowerCase(Locale.ROOT);
  }

  private static @Nullable Object value(RecordComponent component, Reason reason) {
    try {
      return component.getAccessor().invoke(reason);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(component.toString(), e);
    }
  }

  /** Puts a number with its unit in the key. */
  private static void put(Map<String, Object> numbers, String key, @Nullable Object value) {
    switch (value) {
      case null -> {}
      case MemorySize size -> numbers.put(key + "_bytes", size.bytes());
      case Utilization utilization -> numbers.put(key + "_percent", utilization.percent());
      case SummedUtilization sum -> numbers.put(key + "_percent", sum.percent());
      case Slowdown slowdown -> numbers.put(key + "_ratio", slowdown.ratio());
      case Duration duration -> numbers.put(key + "_seconds", duration.toSeconds());
      case Instant instant -> numbers.put(key, instant.toString());
      case Coverage coverage -> numbers.put(key, coverage.fraction());
      case EngineMemory engine -> put(numbers, engine);
      case EngineStart start -> put(numbers, start);
      case SlowdownBasis basis -> put(numbers, basis);
      case SlowdownRisk risk -> put(numbers, risk);
      case ObjectivePrediction service -> put(numbers, service);
      case List<?> list -> numbers.put(key, list.stream().map(ReasonView::element).toList());
      default -> numbers.put(key, value);
    }
  }

  private static Object element(Object value) {
    return value instanceof Reason.GrantConflict.Difference difference ? difference.what() : value;
  }

  private static void put(Map<String, Object> numbers, EngineMemory engine) {
    if (engine.least() != null) {
      numbers.put("takes_bytes", engine.takes().bytes());
      numbers.put("least_bytes", engine.least().upper().bytes());
      engine.least().argument().ifPresent(argument -> numbers.put("argument", argument));
    }
  }

  private static void put(Map<String, Object> numbers, EngineStart start) {
    numbers.put("holder", start.holder());
    numbers.put("waited_seconds", start.waited().toSeconds());
    MemorySize spread = start.spread();
    if (spread != null) {
      numbers.put("spread_bytes", spread.bytes());
      numbers.put("window_seconds", start.window().toSeconds());
    }
    numbers.put("limit_seconds", start.limit().toSeconds());
  }

  private static void put(Map<String, Object> numbers, SlowdownBasis basis) {
    numbers.put("slowdown_upper_ratio", basis.upper().ratio());
    numbers.put("interference_model", basis.model());
    numbers.put("parts", basis.parts().stream().map(ReasonView::part).toList());
  }

  private static void put(Map<String, Object> numbers, SlowdownRisk risk) {
    numbers.put("workload", risk.workload());
    numbers.put("risk_percent", 100 * risk.probability());
    numbers.put("budget_percent", 100 * risk.budget());
    numbers.put("limit_ratio", risk.limit().ratio());
    numbers.put("cause", risk.cause());
    if (!risk.source().isEmpty()) {
      numbers.put("speed_source", risk.source());
    }
  }

  private static void put(Map<String, Object> numbers, ObjectivePrediction service) {
    numbers.put("objective_seconds", service.objectiveSeconds());
    if (service.requestsPerSecond() != null) {
      numbers.put("request_rate", service.requestsPerSecond());
      numbers.put("most_request_rate", service.mostPerSecond());
      numbers.put("replicas", service.replicas());
    }
    if (Double.isFinite(service.aloneSeconds())) {
      numbers.put("p99_alone_seconds", service.aloneSeconds());
    }
    ObjectivePrediction.Fitting fitting = service.fitting();
    if (fitting != null) {
      numbers.put("fitting_batch_size", fitting.batch());
      numbers.put("fitting_share_percent", fitting.share().percent());
    }
  }

  private static Map<String, Object> part(SlowdownBasis.Part part) {
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("workload", part.workload());
    numbers.put("share_percent", part.share().percent());
    numbers.put("l2_percent", part.l2Percent());
    return numbers;
  }
}
