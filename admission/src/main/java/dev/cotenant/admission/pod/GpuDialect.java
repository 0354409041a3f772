package dev.cotenant.admission.pod;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.MemoryResource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The convention of a GPU request: how it is read, written and measured. Names and units are from
 * the projects' own documentation.
 */
@SuppressWarnings("ImmutableEnumChecker") // records, whose lists are unmodifiable copies
public enum GpuDialect {
  NVIDIA(true, null, null),
  HAMI(
      true,
      new Allocation("hami.io/vgpu-devices-allocated", false),
      new MemoryField(
          "nvidia.com/gpumem",
          MemorySize.MIB,
          List.of("nvidia.com/gpumem-percentage"),
          List.of("nvidia.com/gpucores"),
          "nvidia.com/gpu",
          null,
          Numbering.BESIDE_WHOLE,
          Enforced.ALWAYS)),
  KAI(
      false,
      null,
      new MemoryField(
          "gpu-memory",
          MemorySize.MIB,
          List.of("gpu-fraction"),
          List.of(),
          "gpu-fraction-num-devices",
          "gpu-fraction-container-name",
          Numbering.FROM_TWO,
          Enforced.NEVER)),
  GPUSHARE(
      true,
      new Allocation("ALIYUN_COM_GPU_MEM_IDX", true),
      new MemoryField(
          "aliyun.com/gpu-mem",
          MemorySize.GIB,
          List.of(),
          List.of(),
          "aliyun.com/gpu-count",
          null,
          Numbering.ONLY_ONE,
          Enforced.NEVER)),
  KOORDINATOR(
      true,
      new Allocation("scheduling.koordinator.sh/device-allocated", false),
      new MemoryField(
          "koordinator.sh/gpu-memory",
          1,
          List.of("koordinator.sh/gpu-memory-ratio", "koordinator.sh/gpu"),
          List.of("koordinator.sh/gpu-core", "koordinator.sh/gpu"),
          "koordinator.sh/gpu.shared",
          null,
          Numbering.FROM_TWO_IN_SUM,
          Enforced.BY_LABEL)),
  VOLCANO(
      true,
      new Allocation("volcano.sh/vgpu-ids-new", false),
      new MemoryField(
          "volcano.sh/vgpu-memory",
          MemorySize.MIB,
          List.of("volcano.sh/vgpu-memory-percentage"),
          List.of("volcano.sh/vgpu-cores"),
          "volcano.sh/vgpu-number",
          null,
          Numbering.ALWAYS,
          Enforced.ALWAYS)),
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
   * The annotation by which a scheduler names a pod's GPUs.
   *
   * @param annotation its name
   * @param isIndex whether it is the index of a GPU on its node alone
   */
  public record Allocation(String annotation, boolean isIndex) {}

  /**
   * How a dialect states the memory of a request.
   *
   * @param name of the resource or annotation
   * @param unitBytes bytes of its unit
   * @param shares the names that state it as a share: in percent, as an annotation of 1
   * @param cores the names of the share of a GPU's compute, in percent; the first is written
   * @param number the name of the number of GPUs
   * @param container the annotation that names the container; null where requests are resources
   * @param numbering how a request for whole GPUs becomes one of the dialect
   * @param enforced whether the memory is a limit
   */
  public record MemoryField(
      String name,
      long unitBytes,
      List<String> shares,
      List<String> cores,
      String number,
      @Nullable String container,
      Numbering numbering,
      Enforced enforced) {
    public MemoryField {
      shares = List.copyOf(shares);
      cores = List.copyOf(cores);
    }

    /** The name by which compute is written; null where the dialect has none. */
    public @Nullable String core() {
      return cores.isEmpty() ? null : cores.getFirst();
    }

    /** The names that are the dialect's alone. */
    public List<String> names() {
      return Stream.of(Stream.of(number, name), shares.stream(), cores.stream())
          .flatMap(names -> names)
          .filter(word -> !word.equals(WHOLE_GPUS))
          .distinct()
          .toList();
    }

    /** Names that state a container's memory. */
    public List<String> stated(String container) {
      List<String> more = this.container == null ? List.of() : KaiMemory.names(container);
      return Stream.of(List.of(name), shares, more).flatMap(List::stream).toList();
    }

    /** Whether amounts are sums over the GPUs. */
    public boolean isSum() {
      return numbering == Numbering.FROM_TWO_IN_SUM;
    }

    /** The field's value for at least this memory on each GPU, rounded up to whole units. */
    public long units(MemorySize memory, int gpus) {
      return Math.ceilDiv(isSum() ? memory.bytes() * gpus : memory.bytes(), unitBytes);
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
  private final @Nullable Allocation allocation;
  private final String word;

  private final @Nullable MemoryField memoryField;

  GpuDialect(
      boolean asksDevicePlugin,
      @Nullable Allocation allocation,
      @Nullable MemoryField memoryField) {
    word = name().toLowerCase(Locale.ROOT);
    this.asksDevicePlugin = asksDevicePlugin;
    this.allocation = allocation;
    this.memoryField = memoryField;
  }

  /** The resources by which pods request memory in any dialect: amounts, then shares. */
  public static List<MemoryResource> memoryResources() {
    List<MemoryField> fields =
        Stream.of(values())
            .filter(dialect -> !dialect.isAnnotated())
            .flatMap(dialect -> dialect.memoryField().stream())
            .toList();
    return Stream.concat(
            fields.stream()
                .map(field -> new MemoryResource(field.name(), field.unitBytes(), field.isSum())),
            fields.stream()
                .flatMap(field ->
                    field.shares().stream()
                        .map(share -> new MemoryResource(share, 0, field.isSum()))))
        .toList();
  }

  /** How it states memory; empty where a request is for whole GPUs alone. */
  public Optional<MemoryField> memoryField() {
    return Optional.ofNullable(memoryField);
  }

  /** Whether its requests are annotations of the pod. */
  public boolean isAnnotated() {
    return memoryField != null && memoryField.container() != null;
  }

  /** Whether the request goes to the node's device plugin, which chooses the GPU. */
  public boolean asksDevicePlugin() {
    return asksDevicePlugin;
  }

  /** How its scheduler names a pod's GPUs; empty where it writes nothing. */
  public Optional<Allocation> allocation() {
    return Optional.ofNullable(allocation);
  }

  /** Whether its products show a container the memory that it requests as that of the GPU. */
  public boolean showsRequestedMemory() {
    return memoryField != null && memoryField.enforced() != Enforced.NEVER;
  }

  /** The name in annotations: {@code hami}. */
  public String word() {
    return word;
  }
}
