package dev.cotenant.admission.pod;

import dev.cotenant.domain.quantity.MemorySize;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The convention of a GPU request. */
public enum GpuDialect {
  NVIDIA(true, null, null),
  HAMI(
      true,
      "hami.io/vgpu-devices-allocated",
      new MemoryField(
          "nvidia.com/gpumem",
          1L << 20,
          List.of("nvidia.com/gpumem", "nvidia.com/gpumem-percentage"),
          Numbering.BESIDE_WHOLE,
          "nvidia.com/gpu",
          "nvidia.com/gpucores",
          Enforced.ALWAYS)),
  KAI(
      false,
      null,
      new MemoryField(
          KaiMemory.MEBIBYTES,
          1L << 20,
          List.of(KaiMemory.MEBIBYTES, "gpu-fraction"),
          Numbering.FROM_TWO,
          "gpu-fraction-num-devices",
          null,
          Enforced.NEVER)),
  GPUSHARE(
      true,
      "ALIYUN_COM_GPU_MEM_IDX",
      new MemoryField(
          "aliyun.com/gpu-mem",
          1L << 30,
          List.of("aliyun.com/gpu-mem"),
          Numbering.ONLY_ONE,
          "aliyun.com/gpu-count",
          null,
          Enforced.NEVER)),
  VOLCANO(
      true,
      "volcano.sh/vgpu-ids-new",
      new MemoryField(
          "volcano.sh/vgpu-memory",
          1L << 20,
          List.of("volcano.sh/vgpu-memory", "volcano.sh/vgpu-memory-percentage"),
          Numbering.ALWAYS,
          "volcano.sh/vgpu-number",
          "volcano.sh/vgpu-cores",
          Enforced.ALWAYS)),
  KOORDINATOR(
      true,
      "scheduling.koordinator.sh/device-allocated",
      new MemoryField(
          "koordinator.sh/gpu-memory",
          1,
          List.of(
              "koordinator.sh/gpu-memory", "koordinator.sh/gpu-memory-ratio", "koordinator.sh/gpu"),
          Numbering.FROM_TWO_IN_SUM,
          "koordinator.sh/gpu.shared",
          "koordinator.sh/gpu-core",
          Enforced.BY_LABEL)),
  /** Dynamic resource allocation: the pod names a ResourceClaim. */
  DRA(false, null, null);

  /** Whole GPUs, as NVIDIA's device plugin offers them. */
  public static final String WHOLE_GPUS = "nvidia.com/gpu";

  /** Label of pods whose memory Koordinator's nodes enforce. */
  public static final String ISOLATION_LABEL = "koordinator.sh/gpu-isolation-provider";

  /** Whether a process that takes more than its request is refused the memory. */
  public enum Enforced {
    /** Enforced by a library in the container. */
    ALWAYS,
    /** Where the pod has the label {@link GpuDialect#ISOLATION_LABEL}. */
    BY_LABEL,
    /** By nobody. */
    NEVER
  }

  /** How a request for whole GPUs becomes one of the dialect. */
  public enum Numbering {
    /** Unchanged, with the memory per GPU beside it. */
    BESIDE_WHOLE,
    /** It is replaced; one GPU alone. */
    ONLY_ONE,
    /** It is replaced, by a number too from two GPUs on. */
    FROM_TWO,
    /** As {@link #FROM_TWO}; amounts are sums over the GPUs. */
    FROM_TWO_IN_SUM,
    /** Replaced by a number. */
    ALWAYS
  }

  /**
   * How a dialect states the memory of a request, from the project's documentation.
   *
   * @param name of the resource; of the annotation in {@link #KAI}
   * @param unitBytes bytes of its unit
   * @param stated the names that state memory
   * @param numbering how a request for whole GPUs becomes one of the dialect
   * @param number the name of the number of GPUs
   * @param cores the name of the share of a GPU's compute, in percent; null without one
   * @param enforced whether the memory is a limit
   */
  public record MemoryField(
      String name,
      long unitBytes,
      List<String> stated,
      Numbering numbering,
      String number,
      @Nullable String cores,
      Enforced enforced) {
    public MemoryField {
      stated = List.copyOf(stated);
    }

    /** Names that state a container's memory. */
    public List<String> stated(String container) {
      return name.equals(KaiMemory.MEBIBYTES)
          ? Stream.concat(stated.stream(), KaiMemory.names(container).stream()).toList()
          : stated;
    }

    /** The field's value for at least this memory on each GPU, rounded up to whole units. */
    public long units(MemorySize memory, int gpus) {
      long all = numbering == Numbering.FROM_TWO_IN_SUM ? memory.bytes() * gpus : memory.bytes();
      return Math.ceilDiv(all, unitBytes);
    }

    /** Whether the dialect can express a request for this number of whole GPUs. */
    public boolean replaces(int gpus) {
      return gpus == 1 || numbering != Numbering.ONLY_ONE;
    }

    /** Whether the number of GPUs is stated beside the memory. */
    public boolean numbers(int gpus) {
      return switch (numbering) {
        case BESIDE_WHOLE, ONLY_ONE -> false;
        case FROM_TWO, FROM_TWO_IN_SUM -> gpus > 1;
        case ALWAYS -> true;
      };
    }
  }

  private final boolean asksDevicePlugin;
  private final @Nullable String allocation;
  private final String word;

  @SuppressWarnings("ImmutableEnumChecker") // its list is an unmodifiable copy
  private final @Nullable MemoryField memoryField;

  GpuDialect(
      boolean asksDevicePlugin, @Nullable String allocation, @Nullable MemoryField memoryField) {
    word = name().toLowerCase(Locale.ROOT);
    this.asksDevicePlugin = asksDevicePlugin;
    this.allocation = allocation;
    this.memoryField = memoryField;
  }

  /** How it states memory; empty where a request is for whole GPUs alone. */
  public Optional<MemoryField> memoryField() {
    return Optional.ofNullable(memoryField);
  }

  /** Whether its requests are annotations of the pod. */
  public boolean isAnnotated() {
    return this == KAI;
  }

  /** Whether the request goes to the node's device plugin, which chooses the GPU. */
  public boolean asksDevicePlugin() {
    return asksDevicePlugin;
  }

  /** The annotation by which its scheduler names a pod's GPUs; null where it writes none. */
  public @Nullable String allocation() {
    return allocation;
  }

  /** Whether its products show a container the memory that it requests as that of the GPU. */
  public boolean showsRequestedMemory() {
    return this == HAMI || this == VOLCANO || this == KOORDINATOR;
  }

  /** The name in annotations: {@code hami}. */
  public String word() {
    return word;
  }
}
