package dev.cotenant.admission.fill;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuDialect.MemoryField;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes memory or compute into the request of one container.
 *
 * @param dialect of the filled request
 * @param container that requests GPUs
 * @param gpus how many
 * @param memory on each; null where the request states it
 * @param cores share of each GPU's compute in percent; null where it is not written
 * @param why for people
 */
public record Fill(
    GpuDialect dialect,
    String container,
    int gpus,
    @Nullable MemorySize memory,
    @Nullable Integer cores,
    String why) {
  /** The names that filling a request of a dialect may write or replace. */
  static Set<String> names(GpuDialect dialect) {
    MemoryField field = dialect.memoryField().orElseThrow();
    Set<String> names = new HashSet<>(List.of(GpuDialect.WHOLE_GPUS, field.name(), field.number()));
    Stream.of(field.core(), field.container()).filter(Objects::nonNull).forEach(names::add);
    return names;
  }

  /** The share of compute of a request that states its memory. */
  public static Fill ofCores(GpuRequest request, int cores) {
    return new Fill(
        request.dialect(),
        request.container(),
        request.gpus(),
        null,
        cores,
        "its latency objective needs " + cores + " % of the SMs");
  }

  /** Whether memory is missing in the request of a container. */
  public static boolean isMissing(JsonNode pod, String container, GpuDialect dialect) {
    ContainerRequest request = ContainerRequest.of(pod, container);
    MemoryField field = dialect.memoryField().orElse(null);
    return request != null
        && field != null
        && field.stated(container).stream().allMatch(name -> request.value(dialect, name) == null);
  }

  /** Whether a request states its memory under the name that filling writes. */
  public static boolean isStatedByName(JsonNode pod, String container, GpuDialect dialect) {
    String name = dialect.memoryField().map(MemoryField::name).orElse(null);
    return name != null && states(pod, container, dialect, name);
  }

  /** Whether the dialect has a share of compute and the request none. */
  public static boolean lacksCores(JsonNode pod, String container, GpuDialect dialect) {
    String cores = dialect.memoryField().map(MemoryField::core).orElse(null);
    return cores != null && !states(pod, container, dialect, cores);
  }

  private static boolean states(JsonNode pod, String container, GpuDialect dialect, String name) {
    ContainerRequest request = ContainerRequest.of(pod, container);
    return request != null && request.value(dialect, name) != null;
  }

  /** Whether a container requests whole GPUs, which a request of another dialect may replace. */
  public static boolean isWhole(JsonNode pod, String container) {
    ContainerRequest request = ContainerRequest.of(pod, container);
    return request != null && request.value(GpuDialect.NVIDIA, GpuDialect.WHOLE_GPUS) != null;
  }

  /** Copy of a pod for {@link #into}; shares the subtrees that filling never writes. */
  public ObjectNode copy(JsonNode pod) {
    return ContainerRequest.copy((ObjectNode) pod, container);
  }

  /**
   * Writes it, and the annotation that says so.
   *
   * @param spoken the dialect of the pod's original request
   */
  public FillRecord into(ObjectNode pod, GpuDialect spoken) {
    ContainerRequest request = ContainerRequest.of(pod, container);
    MemoryField field = dialect.memoryField().orElseThrow();
    if (request == null) {
      throw new IllegalArgumentException("the pod has no container " + container);
    }
    Map<String, String> was = new TreeMap<>();
    Map<String, String> wrote = new TreeMap<>();
    if (memory != null) {
      wrote.put(field.name(), String.valueOf(field.units(memory, gpus)));
    }
    String cores = field.core();
    if (this.cores != null && cores != null && request.value(dialect, cores) == null) {
      wrote.put(cores, String.valueOf(field.isSum() ? this.cores * gpus : this.cores));
    }
    if (spoken == GpuDialect.NVIDIA && field.numbering() != GpuDialect.Numbering.BESIDE_WHOLE) {
      was.put(GpuDialect.WHOLE_GPUS, String.valueOf(request.value(dialect, GpuDialect.WHOLE_GPUS)));
      request.remove(dialect, GpuDialect.WHOLE_GPUS);
      if (field.numbers(gpus)) {
        wrote.put(field.number(), String.valueOf(gpus));
      }
      if (field.container() != null) {
        wrote.put(field.container(), container); // others may put a container first
      }
    }
    wrote.forEach((name, value) -> {
      String before = request.value(dialect, name);
      if (before != null) {
        was.put(name, before);
      }
      request.put(dialect, name, value);
    });
    request.explainItsEnd();
    FillRecord record = new FillRecord(dialect, container, wrote, was, null, memory, why, false);
    annotate(pod, record);
    return record;
  }

  /** Writes the annotation of a record. */
  public static void annotate(ObjectNode pod, FillRecord record) {
    ContainerRequest.annotate(pod, CotenantAnnotations.FILLED, record.text());
  }

  /** Adds an argument to the container and to the record of filling. */
  public static FillRecord argue(ObjectNode pod, FillRecord record, String argument) {
    ContainerRequest request = ContainerRequest.of(pod, record.container());
    if (request == null) {
      return record;
    }
    request.container().withArrayProperty("args").add(argument);
    FillRecord argued =
        new FillRecord(
            record.dialect(),
            record.container(),
            record.wrote(),
            record.was(),
            argument,
            record.memory(),
            record.why(),
            record.ofTemplate());
    ContainerRequest.annotate(pod, CotenantAnnotations.ENGINE_BUDGET, argument);
    annotate(pod, argued);
    return argued;
  }
}
