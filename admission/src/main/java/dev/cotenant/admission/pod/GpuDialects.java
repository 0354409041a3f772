package dev.cotenant.admission.pod;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toUnmodifiableMap;

import dev.cotenant.domain.quantity.MemorySize;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads one container's GPU request in whichever dialect it is written.
 *
 * <p>Units, from the projects' own documentation: HAMi {@code gpumem} and Volcano {@code
 * vgpu-memory} are MiB a GPU; gpushare {@code gpu-mem} is GiB (its default unit) on one GPU;
 * Koordinator's are sums over the pod's GPUs, 100 being one GPU, its {@code gpu-memory} bytes;
 * KAI's {@code gpu-memory} annotation is MiB. A fraction of a whole GPU (100 %, 1.0) is a plain GPU
 * request and declares no memory, as it does in the stock dialect.
 */
final class GpuDialects {
  private static final String STOCK_SHARED = "nvidia.com/gpu.shared";
  private static final String MIG_PREFIX = "nvidia.com/mig-";

  private static final String HAMI_MEMORY = "nvidia.com/gpumem";
  private static final String HAMI_MEMORY_PERCENT = "nvidia.com/gpumem-percentage";
  private static final String HAMI_CORES = "nvidia.com/gpucores";

  private static final String VOLCANO_NUMBER = "volcano.sh/vgpu-number";
  private static final String VOLCANO_MEMORY = "volcano.sh/vgpu-memory";
  private static final String VOLCANO_MEMORY_PERCENT = "volcano.sh/vgpu-memory-percentage";
  private static final String VOLCANO_CORES = "volcano.sh/vgpu-cores";

  private static final String GPUSHARE_MEMORY = "aliyun.com/gpu-mem";
  private static final String GPUSHARE_COUNT = "aliyun.com/gpu-count";

  private static final String KOORDINATOR_GPU = "koordinator.sh/gpu";
  private static final String KOORDINATOR_SHARED = "koordinator.sh/gpu.shared";
  private static final String KOORDINATOR_CORE = "koordinator.sh/gpu-core";
  private static final String KOORDINATOR_MEMORY = "koordinator.sh/gpu-memory";
  private static final String KOORDINATOR_MEMORY_RATIO = "koordinator.sh/gpu-memory-ratio";

  private static final String KAI_FRACTION = "gpu-fraction";
  private static final String KAI_DEVICES = "gpu-fraction-num-devices";
  private static final String KAI_CONTAINER = "gpu-fraction-container-name";

  private GpuDialects() {}

  /** The container that annotations of KAI name; null where they name none. */
  static @Nullable String kaiContainer(Map<String, String> annotations) {
    return Optional.ofNullable(annotations.get(KAI_CONTAINER))
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

  /** The resources by which a container speaks a dialect, and how they are read. */
  private record Vocabulary(
      GpuDialect dialect, List<String> names, Function<ResourceReader, GpuRequest> reader) {}

  private static final List<Vocabulary> VOCABULARIES =
      List.of(
          new Vocabulary(
              GpuDialect.VOLCANO,
              List.of(VOLCANO_NUMBER, VOLCANO_MEMORY, VOLCANO_MEMORY_PERCENT, VOLCANO_CORES),
              GpuDialects::volcano),
          new Vocabulary(
              GpuDialect.KOORDINATOR,
              List.of(
                  KOORDINATOR_GPU,
                  KOORDINATOR_SHARED,
                  KOORDINATOR_CORE,
                  KOORDINATOR_MEMORY,
                  KOORDINATOR_MEMORY_RATIO),
              GpuDialects::koordinator),
          new Vocabulary(
              GpuDialect.GPUSHARE, List.of(GPUSHARE_MEMORY, GPUSHARE_COUNT), GpuDialects::gpushare),
          new Vocabulary(
              GpuDialect.HAMI,
              List.of(HAMI_MEMORY, HAMI_MEMORY_PERCENT, HAMI_CORES),
              GpuDialects::hami),
          new Vocabulary(
              GpuDialect.NVIDIA, List.of(GpuDialect.WHOLE_GPUS, STOCK_SHARED), GpuDialects::stock));

  private static final Map<String, GpuDialect> DIALECTS =
      VOCABULARIES.stream()
          .flatMap(words -> words.names().stream().map(name -> Map.entry(name, words.dialect())))
          .collect(toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));

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
      refuse(resources, spoken);
      return Optional.empty();
    }
    for (Vocabulary words : VOCABULARIES) {
      if (spoken.contains(words.dialect())) {
        return Optional.of(words.reader().apply(resources));
      }
    }
    return Optional.empty();
  }

  private static void refuse(ResourceReader resources, Set<GpuDialect> spoken) {
    List<Vocabulary> all =
        VOCABULARIES.stream().filter(words -> spoken.contains(words.dialect())).toList();
    resources.refuseTogether(
        all.stream().flatMap(words -> words.names().stream()).toList(),
        "in one GPU dialect, not in "
            + all.stream().map(words -> words.dialect().toString()).collect(joining(" and ")));
  }

  /** What KAI's annotations ask for, if they ask for a GPU. */
  static Optional<GpuRequest> ofKaiAnnotations(ResourceReader annotations) {
    List<String> byContainer = KaiMemory.names(annotations.owner());
    if (!annotations.requestsAny(List.of(KAI_FRACTION, KaiMemory.MEBIBYTES))
        && !annotations.requestsAny(byContainer)) {
      return Optional.empty();
    }
    int gpus = annotations.count(KAI_DEVICES, 1);
    @Nullable DeclaredMemory memory = annotations.fraction(KAI_FRACTION, 1, 1);
    if (memory == null) {
      memory = annotations.memory(KaiMemory.MEBIBYTES, MemorySize.MIB, 1);
    }
    if (memory == null) {
      memory =
          annotations.memory(
              firstRequested(annotations, byContainer.getFirst(), byContainer.getLast()), 1, 1);
    }
    return Optional.of(new GpuRequest(GpuDialect.KAI, annotations.owner(), gpus, memory, null));
  }

  /** Invalid quantities count as one GPU and are reported as a separate problem. */
  private static GpuRequest stock(ResourceReader resources) {
    int gpus = resources.count(GpuDialect.WHOLE_GPUS, 0) + resources.count(STOCK_SHARED, 0);
    return new GpuRequest(GpuDialect.NVIDIA, resources.owner(), Math.max(1, gpus), null, null);
  }

  private static GpuRequest hami(ResourceReader resources) {
    @Nullable DeclaredMemory memory = resources.memory(HAMI_MEMORY, MemorySize.MIB, 1);
    return new GpuRequest(
        GpuDialect.HAMI,
        resources.owner(),
        resources.count(GpuDialect.WHOLE_GPUS, 1),
        memory != null ? memory : resources.fraction(HAMI_MEMORY_PERCENT, 100, 1),
        resources.compute(HAMI_CORES, 1));
  }

  private static GpuRequest volcano(ResourceReader resources) {
    @Nullable DeclaredMemory memory = resources.memory(VOLCANO_MEMORY, MemorySize.MIB, 1);
    return new GpuRequest(
        GpuDialect.VOLCANO,
        resources.owner(),
        resources.count(VOLCANO_NUMBER, 1),
        memory != null ? memory : resources.fraction(VOLCANO_MEMORY_PERCENT, 100, 1),
        resources.compute(VOLCANO_CORES, 1));
  }

  private static GpuRequest gpushare(ResourceReader resources) {
    return new GpuRequest(
        GpuDialect.GPUSHARE,
        resources.owner(),
        resources.count(GPUSHARE_COUNT, 1),
        resources.memory(GPUSHARE_MEMORY, MemorySize.GIB, 1),
        null);
  }

  private static GpuRequest koordinator(ResourceReader resources) {
    int percent =
        Math.max(
            resources.count(KOORDINATOR_GPU, 1),
            Math.max(
                resources.count(KOORDINATOR_CORE, 1),
                resources.count(KOORDINATOR_MEMORY_RATIO, 1)));
    int gpus = resources.count(KOORDINATOR_SHARED, Math.ceilDiv(percent, 100));
    @Nullable DeclaredMemory memory = resources.memory(KOORDINATOR_MEMORY, 1, gpus);
    if (memory == null) {
      memory =
          resources.fraction(
              firstRequested(resources, KOORDINATOR_MEMORY_RATIO, KOORDINATOR_GPU), 100, gpus);
    }
    return new GpuRequest(
        GpuDialect.KOORDINATOR,
        resources.owner(),
        gpus,
        memory,
        resources.compute(firstRequested(resources, KOORDINATOR_CORE, KOORDINATOR_GPU), gpus));
  }

  private static String firstRequested(ResourceReader resources, String first, String second) {
    return resources.requests(first) ? first : second;
  }
}
