package dev.cotenant.engine.model;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.EngineSpeed;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.llm.MemoryPrediction;
import dev.cotenant.llm.MemoryPredictor;
import dev.cotenant.llm.Unread;
import dev.cotenant.llm.inference.TransformersVersion;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.pod.GenerationArguments;
import dev.cotenant.llm.pod.OtherArguments;
import dev.cotenant.llm.pod.TrainingArguments;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.pod.VllmArguments;
import dev.cotenant.llm.serving.LearnedServing;
import dev.cotenant.llm.serving.ReleaseCoefficients;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.VllmSettings;
import dev.cotenant.llm.serving.VllmVersion;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
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
  private static final UtilizationEstimate ANY_UTILIZATION =
      new UtilizationEstimate(
          Utilization.FULL, Utilization.IDLE, Utilization.FULL, Coverage.CERTAIN);

  private static final String MODEL_VERSION = "language-models";
  private static final String ARGUMENT = "arguments";

  private final ModelRegistry registry;
  private final FolderDescriptions folders;
  private final Function<String, ReleaseCoefficients> learned;

  /** With the shipped coefficients alone. */
  public LanguageModelRuns(ModelRegistry registry, FolderDescriptions folders) {
    this(registry, folders, _ -> LearnedServing.NONE);
  }

  /**
   * @param learned coefficients of servers by the namespace of their pods
   */
  public LanguageModelRuns(
      ModelRegistry registry,
      FolderDescriptions folders,
      Function<String, ReleaseCoefficients> learned) {
    this.registry = registry;
    this.folders = folders;
    this.learned = learned;
  }

  /** The coefficients of servers of a namespace. */
  public ReleaseCoefficients learned(String namespace) {
    return learned.apply(namespace);
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
    if (isUnmodelled(run)) {
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
                  + "', which is unknown: "
                  + why
                  + "; register its folder with './cotenant upload FOLDER --reference "
                  + reference
                  + "' or name a registered model with cotenant.dev/model");
    };
  }

  /** Whether not even its weights follow from its arguments. */
  private static boolean isUnmodelled(EngineRun run) {
    return run.kind() == EngineRun.Kind.UNMODELLED
        && (run.model() == null || !OtherArguments.ENGINES.contains(run.engine()));
  }

  private static Outcome unknown(Workload workload, String why) {
    return new Outcome.UnknownModel(workload.model(), why, false);
  }

  /** Description of a model by a registered name, a digest, or a container's reference. */
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
          ServingRequest request =
              new ServingRequest(
                  level.fraction(),
                  1,
                  run.seenBytes(ServingCard.of(device).totalBytes()),
                  learned(run.namespace()),
                  rate(workload));
          MemoryPrediction memory = predict(model, run, device, request);
          EngineSpeed speed = EngineSpeeds.of(model, run, device, request, memory);
          predictions.put(id, prediction(memory, workload, run, device, speed));
        }
      }
    } catch (InputException e) { // the engine refuses its arguments on every device
      return unknown(
          workload, "the engine would not start: " + e.getMessage().replaceFirst("\\.$", ""));
    }
    return new Outcome.Predicted(predictions);
  }

  private static @Nullable Double rate(Workload workload) {
    return workload.settings().load() instanceof Load.RequestRate(double perSecond, _)
        ? perSecond
        : null;
  }

  /**
   * A prediction's settings beside the server's arguments.
   *
   * @param level of the bounds
   * @param concurrency sequences of the longest length for the least memory
   * @param gpuMemoryBytes what the process sees of the GPU; null for all
   * @param learned coefficients of servers
   * @param requestsPerSecond that it answers; null where requests follow each other
   */
  public record ServingRequest(
      double level,
      int concurrency,
      @Nullable Double gpuMemoryBytes,
      ReleaseCoefficients learned,
      @Nullable Double requestsPerSecond) {}

  /**
   * The memory of a server, of generation or of fine-tuning.
   *
   * @throws InputException ({@code bad-engine-argument}, {@code bad-engine-version}, {@code
   *     bad-tuning-argument}) where the engine would refuse to start
   */
  public static MemoryPrediction predict(
      LanguageModel model, EngineRun run, Device device, ServingRequest request) {
    MemoryPredictor predictor = new MemoryPredictor(request.level(), request.learned());
    return switch (run.kind()) {
      case SERVER -> server(predictor, model, run, device, request);
      case TRAINING -> tuning(predictor, model, run, device, request);
      case GENERATION -> generation(predictor, model, run, device, request);
      case UNMODELLED -> stated(predictor, model, run, device, request);
    };
  }

  /**
   * The predicted steps of a server; null if unknown.
   *
   * @throws InputException as {@link #predict}
   */
  public static @Nullable EngineSpeed speed(
      LanguageModel model,
      EngineRun run,
      Device device,
      ServingRequest request,
      MemoryPrediction memory) {
    return EngineSpeeds.of(model, run, device, request, memory);
  }

  /**
   * What the arguments of a server of vLLM leave at its defaults, by flag; of other engines
   * nothing.
   *
   * @throws InputException ({@code bad-engine-argument}) where vLLM would refuse them
   */
  public static Map<String, Value> defaults(
      LanguageModel model, EngineRun run, Device device, ServingRequest request) {
    if (run.kind() != EngineRun.Kind.SERVER) {
      return Map.of();
    }
    Map<String, Value> flags = flags(run);
    VllmVersion version = version(run);
    VllmSettings settings = VllmArguments.of(version, flags).settings();
    ServingCard card = seenOf(request, device);
    String engine = "default of vLLM " + version;
    String onCard = engine + " on " + card.name();
    Map<String, Value> defaults = new LinkedHashMap<>();
    if (run.version() == null) {
      defaults.put("engine-version", new Value(version.toString(), "default: newest measured"));
    }
    defaults.put(
        "max-model-len",
        new Value(
            String.valueOf(settings.length(VllmArguments.modelAsRun(model, flags))),
            "default: the model's"));
    if (settings.kvCacheBytes() == null) {
      defaults.put(
          "gpu-memory-utilization",
          new Value(String.valueOf(settings.utilizationOrDefault()), engine));
    }
    defaults.put("max-num-seqs", new Value(String.valueOf(settings.sequences(card)), onCard));
    defaults.put(
        "max-num-batched-tokens",
        new Value(String.valueOf(settings.batchedTokens(model, card)), onCard));
    for (String size : List.of("tensor-parallel-size", "pipeline-parallel-size")) {
      defaults.put(size, new Value("1", engine));
    }
    defaults.put("dtype", new Value("auto", engine));
    defaults.put("kv-cache-dtype", new Value("auto", engine));
    defaults.keySet().removeAll(flags.keySet());
    return defaults;
  }

  static Map<String, Value> flags(EngineRun run) {
    Map<String, Value> flags = new LinkedHashMap<>();
    run.settings().forEach((name, text) -> flags.put(name, new Value(text, ARGUMENT)));
    return flags;
  }

  private static MemoryPrediction server(
      MemoryPredictor predictor,
      LanguageModel model,
      EngineRun run,
      Device device,
      ServingRequest request) {
    Map<String, Value> flags = flags(run);
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

  private static MemoryPrediction tuning(
      MemoryPredictor predictor,
      LanguageModel model,
      EngineRun run,
      Device device,
      ServingRequest request) {
    TrainingArguments arguments = TrainingArguments.of(training(run, flags(run)), model.adapter());
    return predictor
        .tuning(
            arguments.modelAsRun(model),
            arguments.settings(),
            device.id().value(),
            Stream.concat(arguments.assumed().stream(), run.unread().stream()).toList())
        .within(seenOf(request, device).totalBytes());
  }

  private static MemoryPrediction generation(
      MemoryPredictor predictor,
      LanguageModel model,
      EngineRun run,
      Device device,
      ServingRequest request) {
    Map<String, Value> flags = flags(run);
    LanguageModel asRun = VllmArguments.modelAsRun(model, flags);
    String version = run.version();
    GenerationArguments arguments =
        GenerationArguments.of(
            asRun, version == null ? null : TransformersVersion.of(version), flags);
    return predictor
        .generation(
            asRun,
            arguments.settings(),
            arguments.most(),
            device.id().value(),
            Stream.concat(arguments.assumed().stream(), run.unread().stream()).toList())
        .within(seenOf(request, device).totalBytes());
  }

  private static MemoryPrediction stated(
      MemoryPredictor predictor,
      LanguageModel model,
      EngineRun run,
      Device device,
      ServingRequest request) {
    Map<String, Value> flags = flags(run);
    OtherArguments arguments = OtherArguments.of(run.engine(), model, flags);
    return predictor.stated(
        OtherArguments.modelAsRun(model, flags),
        arguments.settings(),
        seenOf(request, device),
        Stream.concat(arguments.notes().stream(), run.unread().stream()).toList());
  }

  static ServingCard seenOf(ServingRequest request, Device device) {
    ServingCard card = ServingCard.of(device);
    Double seen = request.gpuMemoryBytes();
    return seen == null ? card : new ServingCard(card.name(), seen);
  }

  static VllmVersion version(EngineRun run) {
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
   * The prediction of a decision. The utilization follows from a stated request rate; without one,
   * any value is possible. A bound on memory that rests on something unread is assumed.
   */
  private static Prediction prediction(
      MemoryPrediction memory,
      Workload workload,
      EngineRun run,
      Device device,
      @Nullable EngineSpeed speed) {
    boolean assumed = !run.unread().isEmpty();
    Double coverage = memory.peak().coverage();
    MemorySize mean = MemorySize.ofBytes(memory.peak().mean());
    MemorySize weights = MemorySize.ofBytes(EngineMemories.part(memory, "weights_bytes"));
    return new Prediction(
            device.id(),
            workload.batchSize(),
            workload.settings(),
            speed == null || rate(workload) == null ? ANY_UTILIZATION : speed.utilization(),
            new MemoryEstimate(
                mean,
                weights.isAtMost(mean) ? weights : mean,
                MemorySize.ofBytes(memory.peak().upper()),
                assumed || coverage == null ? null : Coverage.of(coverage)),
            MODEL_VERSION,
            memory.warnings())
        .withEngine(EngineMemories.of(memory, run, device, speed));
  }
}
