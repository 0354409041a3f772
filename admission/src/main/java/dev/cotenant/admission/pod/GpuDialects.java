package dev.cotenant.admission.pod;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toUnmodifiableMap;

import dev.cotenant.admission.pod.GpuDialect.MemoryField;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads one container's GPU request in whichever dialect it is written. A fraction of a whole GPU
 * (100 %, 1.0) is a plain GPU request and declares no memory, as it does in the stock dialect.
 */
final class GpuDialects {
  private static final String STOCK_SHARED = "nvidia.com/gpu.shared";
  private static final String MIG_PREFIX = "nvidia.com/mig-";
  private static final int PERCENT = 100;

  private static final MemoryField KAI = GpuDialect.KAI.memoryField().orElseThrow();

  private static final Map<String, GpuDialect> DIALECTS =
      Stream.of(GpuDialect.values())
          .flatMap(dialect -> names(dialect).stream().map(name -> Map.entry(name, dialect)))
          .collect(toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));

  private GpuDialects() {}

  /** The resources by which a container speaks a dialect. */
  static List<String> names(GpuDialect dialect) {
    if (dialect == GpuDialect.NVIDIA) {
      return List.of(GpuDialect.WHOLE_GPUS, STOCK_SHARED);
    }
    return dialect.isAnnotated()
        ? List.of()
        : dialect.memoryField().map(MemoryField::names).orElse(List.of());
  }

  /** The container that annotations of KAI name; null where they name none. */
  static @Nullable String kaiContainer(Map<String, String> annotations) {
    return Optional.ofNullable(annotations.get(KAI.container()))
        .or(() -> KaiMemory.container(annotations.keySet()))
        .orElse(null);
  }

  /** The requested MIG instance, if there is one. */
  static Optional<String> migInstance(ResourceReader resources) {
    for (String name : resources.names()) {
      if (name.startsWith(MIG_PREFIX) && resources.requests(name)) {
        return Optional.of(name);
      }
    }
    return Optional.empty();
  }

  /**
   * The GPU request in a container's resources, if there is one. Two dialects beside each other are
   * a problem: no device plugin honours both. HAMI alone extends the resources of the stock one.
   */
  static Optional<GpuRequest> ofResources(ResourceReader resources) {
    Set<GpuDialect> spoken = EnumSet.noneOf(GpuDialect.class);
    for (String name : resources.names()) {
      GpuDialect dialect = DIALECTS.get(name);
      if (dialect != null && resources.requests(name)) {
        spoken.add(dialect);
      }
    }
    if (spoken.contains(GpuDialect.HAMI)) {
      spoken.remove(GpuDialect.NVIDIA);
    }
    if (spoken.size() > 1) {
      refuse(resources, new ArrayList<>(spoken).reversed());
      return Optional.empty();
    }
    return spoken.stream().findFirst().map(dialect -> request(dialect, resources));
  }

  private static void refuse(ResourceReader resources, List<GpuDialect> spoken) {
    resources.refuseTogether(
        spoken.stream().flatMap(dialect -> names(dialect).stream()).toList(),
        "in one GPU dialect, not in "
            + spoken.stream().map(GpuDialect::toString).collect(joining(" and ")));
  }

  /** A bad quantity counts as one GPU; it is a problem of its own. */
  private static GpuRequest request(GpuDialect dialect, ResourceReader resources) {
    MemoryField field = dialect.memoryField().orElse(null);
    if (field == null) {
      int gpus = resources.count(GpuDialect.WHOLE_GPUS, 0) + resources.count(STOCK_SHARED, 0);
      return new GpuRequest(dialect, resources.owner(), Math.max(1, gpus), null, null);
    }
    int gpus = resources.count(field.number(), field.isSum() ? summed(field, resources) : 1);
    int over = field.isSum() ? gpus : 1;
    @Nullable DeclaredMemory memory =
        resources.memory(List.of(field.name()), field.unitBytes(), over);
    return new GpuRequest(
        dialect,
        resources.owner(),
        gpus,
        memory != null ? memory : resources.fraction(field.shares(), PERCENT, over),
        resources.compute(field.cores(), over));
  }

  /** The GPUs of shares that are sums over them. */
  private static int summed(MemoryField field, ResourceReader resources) {
    int percent =
        Stream.concat(field.cores().stream(), field.shares().stream())
            .mapToInt(name -> resources.count(name, 1))
            .max()
            .orElse(1);
    return Math.ceilDiv(percent, PERCENT);
  }

  /** What KAI's annotations ask for, if they ask for a GPU. */
  static Optional<GpuRequest> ofKaiAnnotations(ResourceReader annotations) {
    if (annotations.first(KAI.stated(annotations.owner())) == null) {
      return Optional.empty();
    }
    int gpus = annotations.count(KAI.number(), 1);
    @Nullable DeclaredMemory memory = annotations.fraction(KAI.shares(), 1, 1);
    if (memory == null) {
      memory = annotations.memory(List.of(KAI.name()), KAI.unitBytes(), 1);
    }
    if (memory == null) {
      memory = annotations.memory(KaiMemory.names(annotations.owner()), 1, 1);
    }
    return Optional.of(new GpuRequest(GpuDialect.KAI, annotations.owner(), gpus, memory, null));
  }
}
