package dev.cotenant.admission.pod;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.workload.ExecutionMode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads our annotations; an invalid one becomes a problem and counts as absent. */
final class AnnotationReader {
  private static final Pattern MODEL =
      Pattern.compile("sha256:[0-9a-f]{64}|[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?");
  private static final Pattern BATCH_SIZE = Pattern.compile("0*[1-9][0-9]{0,8}");
  private static final Pattern DECIMAL = Pattern.compile("\\d{1,9}(?:\\.\\d{1,9})?");
  private static final Duration MAX_LATENCY = Duration.ofHours(24);

  private final Map<String, String> annotations;
  private final Problems problems;

  AnnotationReader(Map<String, String> annotations, Problems problems) {
    this.annotations = annotations;
    this.problems = problems;
  }

  WorkloadAnnotations read() {
    @Nullable String model = model();
    int batchSize = batchSize();
    @Nullable ExecutionMode mode = mode();
    @Nullable MemorySize memory = memory();
    @Nullable Duration latency = latency();
    @Nullable RequestRate rate = requestRate();
    ExecutionMode implied =
        latency == null && rate == null ? ExecutionMode.TRAINING : ExecutionMode.INFERENCE;
    return new WorkloadAnnotations(
        model,
        batchSize,
        mode == null ? implied : mode,
        memory,
        latency,
        rate,
        slowdown(),
        unknown());
  }

  private @Nullable Duration latency() {
    return read(
        CotenantAnnotations.SLO_LATENCY,
        "a positive duration up to 24h, such as 40ms",
        text -> GoDuration.parse(text, MAX_LATENCY).filter(Duration::isPositive));
  }

  private @Nullable RequestRate requestRate() {
    return read(
        CotenantAnnotations.REQUEST_RATE,
        "a positive number of requests per second, such as 200",
        text -> decimal(text).filter(value -> value > 0).map(RequestRate::new));
  }

  private @Nullable String model() {
    return read(
        CotenantAnnotations.MODEL,
        "a registered model's name (letters, digits, '.', '_', '-') or sha256: and 64 digits",
        text -> Optional.of(text).filter(name -> MODEL.matcher(name).matches()));
  }

  private int batchSize() {
    @Nullable Integer batch =
        read(
            CotenantAnnotations.BATCH_SIZE,
            "a whole number from 1 to 999999999",
            text ->
                Optional.of(text)
                    .filter(number -> BATCH_SIZE.matcher(number).matches())
                    .map(Integer::valueOf));
    return batch == null ? 1 : batch;
  }

  private @Nullable ExecutionMode mode() {
    return read(
        CotenantAnnotations.MODE,
        "training or inference",
        text ->
            Stream.of(ExecutionMode.values())
                .filter(mode -> mode.toString().equals(text))
                .findFirst());
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

  private List<String> unknown() {
    return annotations.keySet().stream()
        .filter(name -> name.startsWith(CotenantAnnotations.PREFIX))
        .filter(name -> !CotenantAnnotations.READ.contains(name))
        .filter(name -> !CotenantAnnotations.WRITTEN.contains(name))
        .sorted()
        .toList();
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
