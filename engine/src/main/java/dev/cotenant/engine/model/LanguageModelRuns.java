package dev.cotenant.engine.model;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.EngineMemory;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.llm.MemoryPrediction;
import dev.cotenant.llm.MemoryPredictor;
import dev.cotenant.llm.Unread;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.pod.TrainingArguments;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.pod.VllmArguments;
import dev.cotenant.llm.serving.LearntServing;
import dev.cotenant.llm.serving.ReleaseCoefficients;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.VllmVersion;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Predicts language models as containers run them. Without I/O; a prediction takes microseconds.
 */
public final class LanguageModelRuns {
  /** From this on {@code --kv-cache-memory-bytes} exists [vLLM releases]. */
  private static final VllmVersion PINS_CACHE = new VllmVersion(0, 11);

  private static final String MODEL_VERSION = "language-models";
  private static final String ARGUMENT = "container";
  private static final Set<String> FIXES_CACHE =
      Set.of("kv-cache-memory-bytes", "kv-cache-memory", "num-gpu-blocks-override");

  private final ModelRegistry registry;
  private final FolderDescriptions folders;
  private final Function<String, ReleaseCoefficients> learnt;

  /** With the shipped coefficients alone. */
  public LanguageModelRuns(ModelRegistry registry, FolderDescriptions folders) {
    this(registry, folders, _ -> LearntServing.NONE);
  }

  /**
   * @param learnt coefficients of servers by the namespace of their pods
   */
  public LanguageModelRuns(
      ModelRegistry registry,
      FolderDescriptions folders,
      Function<String, ReleaseCoefficients> learnt) {
    this.registry = registry;
    this.folders = folders;
    this.learnt = learnt;
  }

  /** The coefficients of servers of a namespace. */
  public ReleaseCoefficients learnt(String namespace) {
    return learnt.apply(namespace);
  }

  /**
   * Predicts a workload that no graph is registered for.
   *
   * @param listed the known devices
   */
  Outcome predict(
      Workload workload, Set<DeviceId> devices, Coverage level, DeviceCatalogue listed) {
    EngineRun run = workload.engine();
    if (run == null) {
      boolean isLanguageModel = registry.findLanguageModel(workload.model()).isPresent();
      return isLanguageModel
          ? unknown(
              workload,
              "'" + workload.model() + "' is a language model, and no container is known to run it")
          : new Outcome.UnknownModel(workload.model());
    }
    String reference = run.model();
    if (run.kind() == EngineRun.Kind.UNMODELLED) {
      return unknown(
          workload,
          "it runs "
              + run.engine()
              + (reference == null ? "" : " with " + reference)
              + ", whose memory is unknown until it is measured; state it with"
              + " cotenant.dev/gpu-memory");
    }
    if (reference == null) {
      return unknown(
          workload,
          "it runs "
              + run.engine()
              + " without a model in its arguments; name it with cotenant.dev/model");
    }
    return switch (describe(run.namespace(), reference)) {
      case Described.Known(LanguageModel model) -> predict(workload, model, devices, level, listed);
      case Described.BeingRead _ ->
          new Outcome.UnknownModel(
              workload.model(), "the description of '" + reference + "' is being read", true);
      case Described.Missing(String why) ->
          unknown(
              workload,
              "it runs "
                  + run.engine()
                  + " with '"
                  + reference
                  + "', of which nothing is known: "
                  + why
                  + "; register its folder with './cotenant upload FOLDER --reference "
                  + reference
                  + "' or name a registered model with cotenant.dev/model");
    };
  }

  private static Outcome unknown(Workload workload, String why) {
    return new Outcome.UnknownModel(workload.model(), why, false);
  }

  /** What is known of a model by a registered name, a digest, or what containers call it. */
  public Described describe(String namespace, String reference) {
    Optional<RegisteredLanguageModel> registered = registry.findLanguageModel(reference);
    return registered.isPresent()
        ? new Described.Known(registered.get().description().model())
        : folders.find(namespace, reference);
  }

  private Outcome predict(
      Workload workload,
      LanguageModel model,
      Set<DeviceId> devices,
      Coverage level,
      DeviceCatalogue listed) {
    EngineRun run = workload.engine();
    Map<DeviceId, Prediction> predictions = new HashMap<>();
    try {
      for (DeviceId id : devices) {
        Device device = listed.find(id.value()).orElse(null);
        if (device != null && run != null) {
          MemoryPrediction memory =
              predict(
                  model,
                  run,
                  device,
                  new ServingRequest(
                      level.fraction(),
                      1,
                      run.seenBytes(ServingCard.of(device).totalBytes()),
                      learnt(run.namespace())));
          predictions.put(id, prediction(memory, workload, run, device));
        }
      }
    } catch (InputException e) { // the engine refuses its arguments on every device
      return unknown(
          workload, "the engine would not start: " + e.getMessage().replaceFirst("\\.$", ""));
    }
    return new Outcome.Predicted(predictions);
  }

  /**
   * A prediction's settings beside the server's arguments.
   *
   * @param level of the bounds
   * @param concurrency sequences of the longest length for the least memory
   * @param gpuMemoryBytes what the process sees of the GPU; null for all
   * @param learnt coefficients of servers
   */
  public record ServingRequest(
      double level, int concurrency, @Nullable Double gpuMemoryBytes, ReleaseCoefficients learnt) {
    /** With the shipped coefficients. */
    public ServingRequest(double level, int concurrency, @Nullable Double gpuMemoryBytes) {
      this(level, concurrency, gpuMemoryBytes, LearntServing.NONE);
    }
  }

  /**
   * The memory of a server or of fine-tuning.
   *
   * @throws InputException ({@code bad-engine-argument}, {@code bad-engine-version}, {@code
   *     bad-tuning-argument}) where the engine would refuse to start
   */
  public static MemoryPrediction predict(
      LanguageModel model, EngineRun run, Device device, ServingRequest request) {
    Map<String, Value> flags = new LinkedHashMap<>();
    run.settings().forEach((name, text) -> flags.put(name, new Value(text, ARGUMENT)));
    MemoryPredictor predictor = new MemoryPredictor(request.level(), request.learnt());
    if (run.kind() == EngineRun.Kind.TRAINING) {
      TrainingArguments arguments = TrainingArguments.of(training(run, flags));
      return predictor
          .tuning(
              arguments.modelAsRun(model),
              arguments.settings(),
              device.id().value(),
              arguments.assumed())
          .within(seenOf(request, device).totalBytes())
          .withWarnings(run.unread());
    }
    VllmArguments arguments = VllmArguments.of(version(run), flags);
    return predictor.serving(
        VllmArguments.modelAsRun(model, flags),
        arguments.settings(),
        seenOf(request, device),
        request.concurrency(),
        Unread.of(
            run.version() == null && !run.unread().isEmpty(),
            Stream.concat(arguments.ignored().stream(), run.unread().stream()).toList()));
  }

  private static ServingCard seenOf(ServingRequest request, Device device) {
    ServingCard card = ServingCard.of(device);
    Double seen = request.gpuMemoryBytes();
    return seen == null ? card : new ServingCard(card.name(), seen);
  }

  private static VllmVersion version(EngineRun run) {
    String version = run.version();
    return version == null ? VllmVersion.MEASURED : VllmVersion.of(version);
  }

  private static dev.cotenant.llm.pod.Workload.Training training(
      EngineRun run, Map<String, Value> flags) {
    Value gpus =
        Stream.of("nproc-per-node", "num-processes", "num-gpus")
            .filter(flags::containsKey)
            .findFirst()
            .map(flags::get)
            .orElse(null);
    return new dev.cotenant.llm.pod.Workload.Training(
        run.engine(), null, gpus, flags, run.unread());
  }

  /**
   * The prediction of a decision. Nothing is known of the utilization, so that it may be anything;
   * a bound on memory that rests on something unread is assumed.
   */
  private static Prediction prediction(
      MemoryPrediction memory, Workload workload, EngineRun run, Device device) {
    boolean assumed = !run.unread().isEmpty();
    Double coverage = memory.peak().coverage();
    MemorySize mean = MemorySize.ofBytes(memory.peak().mean());
    MemorySize weights = MemorySize.ofBytes(part(memory, "weights_bytes"));
    return new Prediction(
            device.id(),
            workload.batchSize(),
            workload.settings(),
            new UtilizationEstimate(
                Utilization.FULL, Utilization.IDLE, Utilization.FULL, Coverage.CERTAIN),
            new MemoryEstimate(
                mean,
                weights.isAtMost(mean) ? weights : mean,
                MemorySize.ofBytes(memory.peak().upper()),
                assumed || coverage == null ? null : Coverage.of(coverage)),
            MODEL_VERSION,
            memory.warnings())
        .withEngine(engineMemory(memory, run, device));
  }

  private static long part(MemoryPrediction memory, String name) {
    MemoryPrediction.Part part = memory.parts().get(name);
    return part == null ? 0 : Math.max(0, part.amount());
  }

  private static EngineMemory engineMemory(MemoryPrediction memory, EngineRun run, Device device) {
    Map<String, Long> parts = new LinkedHashMap<>();
    memory.parts().forEach((name, part) -> parts.put(name, part.amount()));
    MemoryPrediction.Serving serving = memory.serving();
    EngineMemory.Least least = null;
    if (serving != null) {
      Double coverage = serving.least().coverage();
      least =
          new EngineMemory.Least(
              MemorySize.ofBytes(serving.least().mean()),
              MemorySize.ofBytes(serving.least().upper()),
              coverage == null ? null : Coverage.of(coverage),
              serving.leastKvCacheBytes(),
              limit(memory, serving.leastKvCacheBytes(), run, device));
    }
    String name = (memory.engine() + " " + memory.version()).strip();
    return new EngineMemory(
        name, memory.model(), MemorySize.ofBytes(memory.peak().mean()), parts, least);
  }

  /** The argument that limits the memory of a server in its version. */
  private static EngineMemory.Limit limit(
      MemoryPrediction memory, long cacheBytes, EngineRun run, Device device) {
    if (run.settings().keySet().stream().anyMatch(FIXES_CACHE::contains)) {
      return new EngineMemory.Limit.Stated();
    }
    if (version(run).compareTo(PINS_CACHE) >= 0) {
      return new EngineMemory.Limit.CacheBytes();
    }
    double inside =
        (double) part(memory, "weights_bytes")
            + part(memory, "activation_bytes")
            + part(memory, "non_torch_bytes")
            + cacheBytes;
    return new EngineMemory.Limit.Utilization(
        inside, run.seenBytes(ServingCard.of(device).totalBytes()));
  }
}
