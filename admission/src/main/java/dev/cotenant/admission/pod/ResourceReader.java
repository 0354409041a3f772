package dev.cotenant.admission.pod;

import dev.cotenant.domain.quantity.MemorySize;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Named quantities of one container, or of a pod's annotations, read within bounds; each that
 * breaks its rule becomes a problem and counts as not given.
 */
final class ResourceReader {
  private static final int MAX_COUNT = 1_000_000;
  private static final long MIN_MEMORY_BYTES = 1L << 20;
  private static final long MAX_MEMORY_BYTES = 1L << 40;

  private final String owner;
  private final Map<String, String> quantities;
  private final Problems problems;

  ResourceReader(String owner, Map<String, String> quantities, Problems problems) {
    this.owner = owner;
    this.quantities = quantities;
    this.problems = problems;
  }

  String owner() {
    return owner;
  }

  Collection<String> names() {
    return quantities.keySet();
  }

  /** The first of these that is requested; null without one. */
  @Nullable String first(List<String> names) {
    for (String name : names) {
      if (requests(name)) {
        return name;
      }
    }
    return null;
  }

  /** Whether it is requested; zero is no request. */
  boolean requests(String name) {
    @Nullable String text = quantities.get(name);
    return text != null
        && KubernetesQuantity.parse(text).map(q -> q.value().signum() != 0).orElse(true);
  }

  /** A whole number of at least 1, or {@code otherwise} without a request. */
  int count(String name, int otherwise) {
    if (!requests(name)) {
      return otherwise;
    }
    String rule = "a whole number from 0 to " + MAX_COUNT;
    @Nullable KubernetesQuantity quantity = within(name, rule, BigDecimal.valueOf(MAX_COUNT));
    if (quantity == null) {
      return otherwise;
    }
    if (!quantity.isWhole()) {
      problems.add(where(name), text(name), rule);
      return otherwise;
    }
    return quantity.value().intValueExact();
  }

  /** Units of {@code unitBytes} by the first requested name, divided over {@code gpus}. */
  @Nullable DeclaredMemory memory(List<String> names, long unitBytes, int gpus) {
    @Nullable String name = first(names);
    if (name == null) {
      return null;
    }
    BigDecimal unit = BigDecimal.valueOf(unitBytes);
    @Nullable KubernetesQuantity quantity = KubernetesQuantity.parse(text(name)).orElse(null);
    if (quantity != null) {
      BigDecimal bytes =
          quantity.value().multiply(unit).divide(BigDecimal.valueOf(gpus), 0, RoundingMode.CEILING);
      if (new KubernetesQuantity(bytes).isBetween(MIN_MEMORY_BYTES, MAX_MEMORY_BYTES)) {
        return new DeclaredMemory.Amount(MemorySize.ofBytes(bytes.longValueExact()));
      }
    }
    problems.add(where(name), text(name), "GPU memory from 1 MiB to 1 TiB a GPU");
    return null;
  }

  /**
   * Of {@code whole} that make one GPU, by the first requested name, divided over {@code gpus}; a
   * whole GPU declares nothing.
   */
  @Nullable DeclaredMemory fraction(List<String> names, int whole, int gpus) {
    @Nullable BigDecimal share = share(names, whole, gpus);
    return share == null || share.compareTo(BigDecimal.ONE) == 0
        ? null
        : new DeclaredMemory.FractionOfGpu(share.doubleValue());
  }

  /** As {@link #fraction}, of compute. */
  @Nullable ComputeShare compute(List<String> names, int gpus) {
    @Nullable BigDecimal share = share(names, 100, gpus);
    return share == null ? null : new ComputeShare(share.doubleValue() * 100);
  }

  /** Adds a problem for mutually exclusive requests. */
  void refuseTogether(List<String> names, String rule) {
    String requested = names.stream().filter(this::requests).collect(Collectors.joining(", "));
    problems.add(where("resources"), requested, rule);
  }

  private @Nullable BigDecimal share(List<String> names, int whole, int gpus) {
    @Nullable String name = first(names);
    if (name == null) {
      return null;
    }
    BigDecimal most = BigDecimal.valueOf((long) whole * gpus);
    @Nullable KubernetesQuantity quantity =
        within(name, "more than 0 and at most " + most.toPlainString(), most);
    return quantity == null ? null : quantity.value().divide(most, 9, RoundingMode.CEILING);
  }

  private @Nullable KubernetesQuantity within(String name, String rule, BigDecimal most) {
    @Nullable KubernetesQuantity quantity = KubernetesQuantity.parse(text(name)).orElse(null);
    if (quantity == null
        || quantity.value().signum() <= 0
        || quantity.value().compareTo(most) > 0) {
      problems.add(where(name), text(name), rule);
      return null;
    }
    return quantity;
  }

  private String text(String name) {
    return quantities.getOrDefault(name, "");
  }

  private String where(String name) {
    return name + " of " + owner;
  }
}
