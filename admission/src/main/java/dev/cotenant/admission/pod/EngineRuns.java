package dev.cotenant.admission.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.llm.pod.ContainerReader;
import dev.cotenant.llm.pod.GenerationArguments;
import dev.cotenant.llm.pod.OtherArguments;
import dev.cotenant.llm.pod.TrainingArguments;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.pod.VllmArguments;
import dev.cotenant.llm.pod.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How the containers of a pod run a language model. Nothing is run and no file is read; arguments
 * that do not decide about memory are dropped, so that equal pods stay equal, and no secret is
 * kept.
 */
public final class EngineRuns {
  /** Arguments of servers that decide about memory. */
  private static final Set<String> SERVING = VllmArguments.NAMES;

  /** Arguments of training that decide about memory, and those of launchers about GPUs. */
  private static final Set<String> TRAINING =
      Stream.concat(
              TrainingArguments.NAMES.stream(),
              Stream.of("nproc-per-node", "num-processes", "num-gpus"))
          .collect(Collectors.toUnmodifiableSet());

  /** Arguments of servers whose presence alone counts. */
  private static final Set<String> PRESENT =
      Set.of(
          "speculative-config",
          "speculative-model",
          "cpu-offload-gb",
          "compilation-config",
          "cudagraph-capture-sizes",
          "cuda-graph-sizes",
          "kv-transfer-config",
          "lora-modules",
          "limit-mm-per-prompt");

  private static final int MAX_TEXT = 200;
  private static final int MAX_UNREAD = 20;

  /** Of models' names, paths and URLs, as long as any that is read. */
  private static final int MAX_REFERENCE = 512;

  private static final ContainerReader READER = new ContainerReader();

  private EngineRuns() {}

  /** Annotations of a pod that override its containers' engine settings. */
  record Overrides(
      @Nullable String model,
      @Nullable String version,
      @Nullable Long promptTokens,
      @Nullable Long generatedTokens) {
    /** Settings with the request's token counts. */
    Map<String, String> over(Map<String, String> settings) {
      Map<String, String> all = new HashMap<>(settings);
      if (promptTokens != null) {
        all.put(GenerationArguments.PROMPT, promptTokens.toString());
      }
      if (generatedTokens != null) {
        all.put(GenerationArguments.GENERATED, generatedTokens.toString());
      }
      return all;
    }
  }

  /**
   * How a container runs a language model; null where nothing says so.
   *
   * @param container its JSON; other types than the API's count as absent
   * @param containers how many of the pod use the GPU
   */
  static @Nullable EngineRun of(
      String namespace, JsonNode container, int containers, Overrides overrides) {
    EngineRun run = read(namespace, ContainerJson.workload(READER, container));
    return run == null ? null : overridden(run, containers, overrides);
  }

  /**
   * How a workload runs a language model; null where it runs nothing that is known. Texts longer
   * than 200 characters are cut, and lines beyond 20 dropped; a model's reference counts as unread
   * beyond 512.
   */
  public static @Nullable EngineRun of(String namespace, Workload workload) {
    EngineRun run = read(namespace, workload);
    return run == null ? null : bounded(run);
  }

  private static @Nullable EngineRun read(String namespace, Workload workload) {
    return switch (workload) {
      case Workload.Vllm server ->
          new EngineRun(
              namespace,
              EngineRun.Kind.SERVER,
              "vllm",
              text(server.version()),
              text(server.model()),
              false,
              only(SERVING, whole(server.flags())),
              server.notes());
      case Workload.Training job ->
          new EngineRun(
              namespace,
              EngineRun.Kind.TRAINING,
              job.launcher(),
              null,
              text(job.model()),
              false,
              only(TRAINING, job.flags()),
              job.notes());
      case Workload.Generation server ->
          new EngineRun(
              namespace,
              EngineRun.Kind.GENERATION,
              "transformers",
              text(server.version()),
              text(server.model()),
              false,
              only(GenerationArguments.NAMES, server.flags()),
              server.notes());
      case Workload.Other other ->
          new EngineRun(
              namespace,
              EngineRun.Kind.UNMODELLED,
              other.engine(),
              null,
              text(other.model()),
              false,
              only(OtherArguments.NAMES, other.flags()),
              other.notes());
      case Workload.Unknown _ -> null;
    };
  }

  private static EngineRun overridden(EngineRun run, int containers, Overrides overrides) {
    String version = overrides.version() == null ? run.version() : overrides.version();
    String model = overrides.model() == null ? run.model() : overrides.model();
    List<String> unread = new ArrayList<>(run.unread());
    if (version == null && run.kind() == EngineRun.Kind.SERVER) {
      unread.add(
          "no version of "
              + run.engine()
              + " is named: state it with the image's tag or "
              + CotenantAnnotations.ENGINE_VERSION);
    }
    if (containers > 1) {
      unread.add(containers + " containers use the GPU, and one is predicted");
    }
    return bounded(
        new EngineRun(
            run.namespace(),
            run.kind(),
            run.engine(),
            version,
            model,
            overrides.model() != null,
            overrides.over(run.settings()),
            unread));
  }

  /** Runs are persisted with other pods' state, so that no pod's text may be long. */
  private static EngineRun bounded(EngineRun run) {
    List<String> unread = new ArrayList<>(run.unread());
    Map<String, String> settings = new HashMap<>();
    new TreeMap<>(run.settings())
        .forEach((name, text) -> {
          if (text.length() > MAX_TEXT) {
            unread.addFirst("--" + name + " is longer than " + MAX_TEXT + " characters");
          }
          settings.put(name, cut(text));
        });
    String model = run.model();
    if (model != null && model.length() > MAX_REFERENCE) { // cut, it would be another model's
      unread.addFirst(
          "its model is named by more than "
              + MAX_REFERENCE
              + " characters and is unread: name it by fewer, with "
              + CotenantAnnotations.MODEL);
      model = null;
    }
    return new EngineRun(
        run.namespace(),
        run.kind(),
        cut(run.engine()),
        run.version() == null ? null : cut(run.version()),
        model,
        run.isNamed() && model != null,
        settings,
        unread.stream().limit(MAX_UNREAD).map(EngineRuns::cut).toList());
  }

  private static String cut(String text) {
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
  }

  private static @Nullable String text(@Nullable Value value) {
    return value == null ? null : value.text();
  }

  /** Each key of a flag's JSON as the flag. */
  private static Map<String, Value> whole(Map<String, Value> flags) {
    Map<String, Value> whole = new HashMap<>();
    flags.forEach((name, value) -> whole.put(VllmArguments.flag(name), value));
    return whole;
  }

  private static Map<String, String> only(Set<String> names, Map<String, Value> flags) {
    Map<String, String> kept = new HashMap<>();
    flags.forEach((name, value) -> {
      if (names.contains(name)) {
        kept.put(name, PRESENT.contains(name) ? "true" : value.text());
      }
    });
    return kept;
  }
}
