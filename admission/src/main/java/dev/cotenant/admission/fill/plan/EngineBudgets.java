package dev.cotenant.admission.fill.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.DeclaredMemory;
import dev.cotenant.admission.pod.GpuContainer;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.prediction.EngineMemory;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.EngineRun;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The memory that the pod of a server of a language model declares, as an argument of the server:
 * such a server takes a share of the GPU memory unless an argument limits it. Values that the pod
 * states itself are never changed, and a pod that was patched is not patched again.
 */
public final class EngineBudgets {
  /** Programs whose arguments may be appended to; a shell's may not. */
  private static final Set<String> PLAIN = Set.of("vllm", "python", "python3");

  private static final Set<String> FIXES_CACHE =
      Set.of("kv-cache-memory-bytes", "kv-cache-memory", "num-gpu-blocks-override");

  private static final Set<String> STATED =
      Stream.concat(FIXES_CACHE.stream(), Stream.of("gpu-memory-utilization"))
          .collect(Collectors.toUnmodifiableSet());

  private static final Pattern BYTES = Pattern.compile("--kv-cache-memory-bytes=([0-9]{1,18})");

  private EngineBudgets() {}

  /**
   * An argument to add to a container.
   *
   * @param pointer JSON pointer of the container
   * @param hasArguments whether it has {@code args}
   */
  public record Added(String pointer, boolean hasArguments, String argument) {}

  /** The argument to add by the policy; empty where there is none. */
  public static Optional<Added> added(
      Colocatable pod,
      Policy policy,
      JsonNode json,
      List<GpuContainer> containers,
      Collection<Prediction> predictions) {
    EngineRun run = pod.workload().engine();
    if (policy.engineBudget() != Policy.EngineBudget.WRITE
        || run == null
        || run.kind() != EngineRun.Kind.SERVER
        || !run.unread().isEmpty()
        || isStated(pod)
        || pod.gpu().gpus() != 1
        || containers.size() != 1) {
      return Optional.empty();
    }
    GpuContainer container = containers.getFirst();
    JsonNode manifest = json.at(container.pointer());
    return isPlain(manifest, run)
        ? argument(pod, predictions)
            .map(argument ->
                new Added(container.pointer(), manifest.path("args").isArray(), argument))
        : Optional.empty();
  }

  /** Whether the arguments of a pod's server limit it already. */
  static boolean isStated(Colocatable pod) {
    EngineRun run = pod.workload().engine();
    return run != null && run.settings().keySet().stream().anyMatch(STATED::contains);
  }

  /** Whether they fix its KV cache, whatever GPU it sees. */
  static boolean fixesCache(Colocatable pod) {
    EngineRun run = pod.workload().engine();
    return run != null && run.settings().keySet().stream().anyMatch(FIXES_CACHE::contains);
  }

  private static boolean isPlain(JsonNode manifest, EngineRun run) {
    JsonNode command = manifest.path("command");
    if (command.isArray() && !command.isEmpty()) {
      return PLAIN.contains(program(command));
    }
    // The image's own program or, where the image has none, that of the first argument. Without
    // arguments, added ones would replace those of the image.
    JsonNode arguments = manifest.path("args");
    if (!arguments.isArray() || arguments.isEmpty()) {
      return false;
    }
    String first = arguments.get(0).asText("");
    return first.startsWith("--")
        || first.equals("serve")
        || (!run.isNamed() && first.equals(run.model()))
        || PLAIN.contains(program(arguments));
  }

  private static String program(JsonNode words) {
    String program = words.get(0).asText("");
    return program.substring(program.lastIndexOf('/') + 1);
  }

  /** What holds on every product: the smallest KV cache, or a share that all agree on. */
  private static Optional<String> argument(Colocatable pod, Collection<Prediction> predictions) {
    if (!(pod.declaredMemory().orElse(null) instanceof DeclaredMemory.Amount(MemorySize budget))) {
      return Optional.empty();
    }
    List<Optional<String>> arguments =
        predictions.stream()
            .map(Prediction::engine)
            .filter(Objects::nonNull)
            .map(EngineMemory::least)
            .filter(Objects::nonNull)
            .map(least -> least.within(budget))
            .distinct()
            .toList();
    if (arguments.isEmpty() || arguments.stream().anyMatch(Optional::isEmpty)) {
      return Optional.empty();
    }
    return arguments.size() == 1
        ? arguments.getFirst()
        : arguments.stream()
            .flatMap(Optional::stream)
            .filter(argument -> BYTES.matcher(argument).matches())
            .min(Comparator.comparingLong(EngineBudgets::bytes));
  }

  private static long bytes(String argument) {
    var matcher = BYTES.matcher(argument);
    return matcher.matches() ? Long.parseLong(matcher.group(1)) : Long.MAX_VALUE;
  }

  /** The annotation of an earlier added argument; null if none is present. */
  public static @Nullable String recorded(
      Map<String, String> annotations, JsonNode json, List<GpuContainer> containers) {
    String argument = annotations.get(CotenantAnnotations.ENGINE_BUDGET);
    if (argument == null || containers.size() != 1) {
      return null;
    }
    for (JsonNode word : json.at(containers.getFirst().pointer()).path("args")) {
      if (word.asText("").equals(argument)) {
        return argument;
      }
    }
    return null;
  }

  /** Why declared memory limits no server where the policy would write it; one line, or none. */
  public static List<String> tooSmall(
      Colocatable pod, Policy policy, Collection<Prediction> predictions) {
    if (policy.engineBudget() != Policy.EngineBudget.WRITE
        || isStated(pod)
        || !(pod.declaredMemory().orElse(null)
            instanceof DeclaredMemory.Amount(MemorySize budget))) {
      return List.of();
    }
    return predictions.stream()
        .sorted(Comparator.comparing(Prediction::device))
        .flatMap(prediction -> {
          EngineMemory engine = prediction.engine();
          EngineMemory.Least least = engine == null ? null : engine.least();
          return engine == null || least == null || least.upper().isAtMost(budget)
              ? Stream.<String>empty()
              : Stream.of(
                  "no argument limits the server to the declared "
                      + budget
                      + ": on "
                      + prediction.device()
                      + " "
                      + engine.engine()
                      + " needs "
                      + least.upper()
                      + " for one sequence of the longest length; declare as much, or lower"
                      + " --max-model-len");
        })
        .limit(1)
        .toList();
  }

  /** What a server takes beyond its need on the first product by name; one line, or none. */
  public static List<String> advice(Collection<Prediction> predictions) {
    if (predictions.isEmpty()) {
      return List.of();
    }
    return predictions.stream()
        .sorted(Comparator.comparing(Prediction::device))
        .flatMap(prediction -> {
          EngineMemory engine = prediction.engine();
          String advice = engine == null ? "" : engine.advice();
          return advice.isEmpty()
              ? Stream.<String>empty()
              : Stream.of("on " + prediction.device() + " " + advice);
        })
        .limit(1)
        .toList();
  }
}
