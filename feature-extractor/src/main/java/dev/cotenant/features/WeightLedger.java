package dev.cotenant.features;

import dev.cotenant.domain.graph.StoredParameters;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.StoredTensor;
import dev.cotenant.features.inference.Saturating;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Trainable elements and their stored bytes, each tensor once however often it is used.
 *
 * <p>Floating-point tensors count, and those of eight bits or fewer with two axes or more, which is
 * what quantised weights look like; indices, shapes and zero points do not.
 */
final class WeightLedger {
  private final Set<StoredTensor> counted = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Map<ElementType, StoredParameters> byType = new EnumMap<>(ElementType.class);

  void add(StoredTensor tensor) {
    boolean isWeight =
        tensor.type().isFloating() || (tensor.type().isNarrowInteger() && tensor.rank() > 1);
    if (isWeight && counted.add(tensor)) {
      String name = tensor.type().name().toLowerCase(Locale.ROOT);
      MemorySize size = MemorySize.ofBytes(tensor.bytes());
      byType.merge(
          tensor.type(), new StoredParameters(name, tensor.elements(), size), WeightLedger::sum);
    }
  }

  private static StoredParameters sum(StoredParameters left, StoredParameters right) {
    return new StoredParameters(
        left.elementType(),
        Saturating.add(left.parameters(), right.parameters()),
        MemorySize.ofBytes(Saturating.add(left.size().bytes(), right.size().bytes())));
  }

  /** A tensor in a {@code Constant} node; a single number there is arithmetic, not a weight. */
  void addConstant(StoredTensor tensor) {
    if (tensor.elements() > 1) {
      add(tensor);
    }
  }

  /** The most bytes first. */
  List<StoredParameters> byType() {
    return byType.values().stream()
        .sorted(
            Comparator.comparing(StoredParameters::size)
                .reversed()
                .thenComparing(StoredParameters::elementType))
        .toList();
  }

  long parameters() {
    return byType.values().stream()
        .mapToLong(StoredParameters::parameters)
        .reduce(0, Saturating::add);
  }

  long bytes() {
    return byType.values().stream()
        .mapToLong(each -> each.size().bytes())
        .reduce(0, Saturating::add);
  }
}
