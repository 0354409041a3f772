package dev.cotenant.llm.pod;

import dev.cotenant.domain.text.PlainText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the arguments of engines that a container's command or image names.
 *
 * @param files settings of a mounted configuration file by its path in the container; empty where
 *     it cannot be read
 */
record EngineReader(Function<String, Map<String, String>> files) {
  static final String AXOLOTL = "axolotl.cli.train";

  private static final String CONFIG = "config ";
  private static final Pattern FILE = Pattern.compile("[^-].*\\.(json|ya?ml)");
  private static final Pattern VERSION = Pattern.compile("v?[0-9]+\\.[0-9]+.*");

  Workload vllm(List<String> words, Container container) {
    Flags flags = Flags.of(words, VllmFlags::meant);
    List<String> notes = new ArrayList<>();
    Value config = flags.values().get("config");
    if (config != null) {
      flags = flags.over(settings(config, "its --config " + config.text(), notes));
    }
    unknown(flags, notes);
    notes.addAll(VllmFlags.unknown(flags.values()));
    notes.addAll(VllmEnvironment.unknown(container));
    for (String name : VllmArguments.ENVIRONMENT) {
      String value = container.environment().get(name);
      if (value != null) {
        flags = flags.over(Map.of(name, new Value(PlainText.of(value), "env " + name)));
      }
    }
    Value model = first(flags, "model", "model-tag");
    if (model == null && !flags.positional().isEmpty()) {
      model = new Value(PlainText.of(flags.positional().getFirst()), "args");
    }
    return new Workload.Vllm(model, version(container), flags.values(), notes);
  }

  /** Settings of a mounted file; a note where it cannot be read. */
  private Map<String, Value> settings(Value file, String what, List<String> notes) {
    Map<String, Value> inside = new LinkedHashMap<>();
    files
        .apply(file.text())
        .forEach((name, value) ->
            inside.put(
                PlainText.of(name.replace('_', '-')),
                new Value(PlainText.of(value), CONFIG + file.text())));
    if (inside.isEmpty()) {
      notes.add(what + " could not be read");
    }
    return inside;
  }

  /** KServe's runtime is vLLM unless it says otherwise. */
  static Workload kserve(List<String> words, Container container) {
    Flags flags = Flags.of(words, VllmFlags::meant);
    Value backend = flags.values().get("backend");
    Value model = first(flags, "model-id", "model-dir");
    Value where = model == null ? new Value("/mnt/models", "default of KServe") : model;
    List<String> notes = new ArrayList<>();
    if (backend != null && backend.text().equals("huggingface")) {
      unknown(flags, notes);
      notes.addAll(GenerationArguments.unknown(flags.values()));
      return new Workload.Generation(where, null, flags.values(), notes);
    }
    notes.add("KServe's image does not name its version of vLLM");
    unknown(flags, notes);
    notes.addAll(VllmFlags.unknown(flags.values()));
    notes.addAll(VllmEnvironment.unknown(container));
    return new Workload.Vllm(where, null, flags.values(), notes);
  }

  static Workload tgi(List<String> words, Container container) {
    Flags flags = Flags.of(words);
    Flags all = flags.over(environment(container, OtherArguments.TGI_VARIABLES, ""));
    return new Workload.Other("tgi", first(all, "model-id"), all.values(), List.of());
  }

  /** Its variables are named as its arguments. */
  static Workload llamaCpp(List<String> words, Container container) {
    Flags flags =
        Flags.of(words).over(environment(container, OtherArguments.LLAMA_VARIABLES, "LLAMA_ARG_"));
    List<String> notes = new ArrayList<>();
    unknown(flags, notes);
    return new Workload.Other(
        OtherArguments.LLAMA, first(flags, "model", "m", "hf-repo", "hf"), flags.values(), notes);
  }

  private static Map<String, Value> environment(
      Container container, List<String> names, String prefix) {
    Map<String, Value> found = new LinkedHashMap<>();
    for (String name : names) {
      String value = container.environment().get(prefix + name);
      if (value != null) {
        found.put(
            name.toLowerCase(Locale.ROOT).replace('_', '-'),
            new Value(PlainText.of(value), "env " + prefix + name));
      }
    }
    return found;
  }

  Workload sglang(List<String> words) {
    Flags flags = Flags.of(words);
    List<String> notes = new ArrayList<>();
    Value config = flags.values().get("config");
    if (config != null) {
      flags = flags.over(settings(config, "its --config " + config.text(), notes));
    }
    unknown(flags, notes);
    return new Workload.Other(
        OtherArguments.SGLANG, first(flags, "model-path", "model"), flags.values(), notes);
  }

  /** Its models are in a repository, where a file holds the arguments of vLLM. */
  Workload triton(List<String> words) {
    Flags flags = Flags.of(words);
    Value repository = first(flags, "model-repository", "model-store");
    List<String> notes = new ArrayList<>();
    if (repository == null) {
      return other("triton", words);
    }
    String file = repository.text().replaceFirst("/+$", "") + "/*/1/model.json";
    Map<String, Value> arguments =
        settings(new Value(file, repository.source()), "its " + file, notes);
    Value model = arguments.get("model");
    if (model == null) {
      return new Workload.Other("triton", null, flags.values(), notes);
    }
    notes.add("Triton's image does not name its version of vLLM");
    notes.addAll(VllmFlags.unknown(arguments));
    return new Workload.Vllm(model, null, arguments, notes);
  }

  /** A server whose model is fixed; else requests name it. */
  static Workload transformers(List<String> words) {
    Flags flags = Flags.of(words);
    List<String> notes = new ArrayList<>();
    unknown(flags, notes);
    notes.addAll(GenerationArguments.unknown(flags.values()));
    return words.isEmpty() || !words.getFirst().equals("serve")
        ? new Workload.Unknown("it runs transformers without serve")
        : new Workload.Generation(first(flags, "force-model"), null, flags.values(), notes);
  }

  static Workload other(String engine, List<String> words, String... models) {
    Flags flags = Flags.of(words);
    List<String> notes = new ArrayList<>();
    unknown(flags, notes);
    return new Workload.Other(engine, first(flags, models), flags.values(), notes);
  }

  Workload training(String program, List<String> words) {
    String launcher = words.contains(AXOLOTL) ? "axolotl" : program;
    Flags flags = Flags.of(words);
    List<String> notes = new ArrayList<>();
    Stream<Value> named =
        Stream.of("deepspeed", "config-file", "config")
            .map(flags.values()::get)
            .filter(Objects::nonNull);
    Stream<Value> alone = flags.positional().stream().map(word -> new Value(word, "args"));
    for (Value file : Stream.concat(named, alone).toList()) {
      if (FILE.matcher(file.text()).matches()) {
        flags = flags.over(settings(file, "its " + file.text(), notes));
      }
    }
    Value inFile = flags.values().get("deepspeed"); // of a file of another library
    if (inFile != null
        && inFile.source().startsWith(CONFIG)
        && FILE.matcher(inFile.text()).matches()) {
      flags = flags.over(settings(inFile, "its " + inFile.text(), notes));
    }
    unknown(flags, notes);
    notes.addAll(TrainingFlags.unknown(flags.values()));
    return new Workload.Training(
        launcher,
        first(
            flags,
            "model-name-or-path",
            "model-name",
            "model",
            "base-model",
            "checkpointer.checkpoint-dir"),
        first(flags, "nproc-per-node", "num-processes", "num-gpus"),
        flags.values(),
        notes);
  }

  private static void unknown(Flags flags, List<String> notes) {
    if (flags.unknown() > 0) {
      notes.add(
          flags.unknown()
              + (flags.unknown() == 1 ? " command argument" : " command arguments")
              + " cannot be resolved before the pod runs");
    }
  }

  private static @Nullable Value first(Flags flags, String... names) {
    for (String name : names) {
      Value value = flags.values().get(name);
      if (value != null) {
        return value;
      }
    }
    return null;
  }

  /**
   * Version from the tag of vLLM's own image or a mirror; other images' tags have their own
   * numbering.
   */
  private static @Nullable Value version(Container container) {
    String repository = repository(container);
    String tag = withoutDigest(container).substring(repository.length()).replaceFirst("^:", "");
    return repository.substring(repository.lastIndexOf('/') + 1).equals("vllm-openai")
            && VERSION.matcher(tag).matches()
        ? new Value(PlainText.of(tag), "image")
        : null;
  }

  /** The image without tag and digest. */
  static String repository(Container container) {
    String image = withoutDigest(container);
    int colon = image.lastIndexOf(':');
    return colon > image.lastIndexOf('/') ? image.substring(0, colon) : image;
  }

  private static String withoutDigest(Container container) {
    int at = container.image().indexOf('@');
    return at < 0 ? container.image() : container.image().substring(0, at);
  }
}
