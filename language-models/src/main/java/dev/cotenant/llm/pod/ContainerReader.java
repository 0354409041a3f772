package dev.cotenant.llm.pod;

import dev.cotenant.domain.text.PlainText;
import dev.cotenant.llm.pod.ShellCommand.When;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Recognises what a container runs from its image, command, arguments and environment; nothing is
 * run, and references that only a running pod resolves stay unknown.
 *
 * @param files settings of a mounted configuration file by its path in the container; empty where
 *     it cannot be read
 */
public record ContainerReader(Function<String, Map<String, String>> files) {
  private static final Set<String> SHELLS = Set.of("sh", "bash", "ash", "dash", "zsh");
  private static final Set<String> LAUNCHERS = Set.of("torchrun", "accelerate", "deepspeed");
  private static final Set<String> PREFIXES =
      Set.of("exec", "env", "nohup", "sudo", "numactl", "tini", "dumb-init");

  /** Words of a shell's grammar that end a compound command. */
  private static final Set<String> CLOSING = Set.of("fi", "done", "esac", "}");

  private static final Pattern REFERENCE = Pattern.compile("\\$\\(([A-Za-z_][A-Za-z0-9_]*)\\)");
  private static final Pattern SCRIPT = Pattern.compile("-[a-z]*c");
  private static final Pattern VERSION = Pattern.compile("v?[0-9]+\\.[0-9]+.*");
  private static final int MAX_WORDS = 10_000;

  /** Reads no files. */
  public ContainerReader() {
    this(_ -> Map.of());
  }

  /** What the container runs. */
  public Workload read(Container container) {
    Expansion expansion = new Expansion();
    List<String> words = new ArrayList<>();
    for (String word : container.command()) {
      words.add(referenced(word, container, isScript(words), expansion));
    }
    for (String word : container.args()) {
      words.add(referenced(word, container, isScript(words), expansion));
    }
    if (words.size() > MAX_WORDS) {
      return new Workload.Unknown("its command has more than " + MAX_WORDS + " words");
    }
    Workload found = found(commands(words, container, expansion), container);
    return found instanceof Workload.Unknown && runsEntryPoint(container)
        ? ofImage(arguments(words), container)
        : found;
  }

  /** The first that is recognised; a note where it may not run, or another one runs too. */
  private Workload found(List<ShellCommand> commands, Container container) {
    Workload found = new Workload.Unknown("it has no command");
    List<String> notes = new ArrayList<>();
    for (ShellCommand command : commands) {
      List<String> words = command.words();
      if (!words.isEmpty() && CLOSING.contains(words.getFirst())) {
        continue;
      }
      Workload next = recognised(words, container);
      if (found instanceof Workload.Unknown) {
        found = next;
        boolean isLast = command.equals(commands.getLast());
        if (next instanceof Workload.Unknown) {
          continue;
        }
        if (command.when() == When.PERHAPS || (command.when() == When.AFTER_SUCCESS && !isLast)) {
          notes.add("its command is one of a branch, a loop or a list: another may run");
        }
      } else if (!(next instanceof Workload.Unknown)) {
        notes.add("its script runs more than one engine, and the first is read");
        break;
      }
    }
    return found.noted(notes);
  }

  /** Whether what the image itself starts still runs: nothing replaces it, or its own script. */
  private static boolean runsEntryPoint(Container container) {
    if (!container.command().isEmpty()) {
      return container.command().size() == 1 && isEntryPoint(container.command().getFirst());
    }
    return container.args().isEmpty() || !SHELLS.contains(last(container.args().getFirst()));
  }

  private static boolean isEntryPoint(String word) {
    return last(word).matches("(.*[_-])?entrypoint(\\.sh)?");
  }

  private static List<String> arguments(List<String> words) {
    return !words.isEmpty() && isEntryPoint(words.getFirst())
        ? words.subList(1, words.size())
        : words;
  }

  /** Whether a shell's script follows, which may hold commands in the form of references. */
  private static boolean isScript(List<String> words) {
    return !words.isEmpty()
        && SCRIPT.matcher(words.getLast()).matches()
        && words.stream().anyMatch(word -> SHELLS.contains(last(word)));
  }

  /**
   * Kubernetes' own references, $(NAME); those to a value that is not read, or beyond what may be
   * inserted, make a word unknown. An undeclared one stays as it is, unless more may be declared.
   */
  private static String referenced(
      String word, Container container, boolean isScript, Expansion expansion) {
    Matcher matcher = REFERENCE.matcher(word);
    StringBuilder replaced = new StringBuilder();
    while (matcher.find()) {
      String name = matcher.group(1);
      boolean isDeclared = container.environment().containsKey(name);
      if (container.unread().contains(name) || (container.hasMore() && !isDeclared && !isScript)) {
        return ShellWords.UNKNOWN;
      }
      String value = container.environment().getOrDefault(name, matcher.group());
      if (!expansion.takes(value.length())) {
        return ShellWords.UNKNOWN;
      }
      matcher.appendReplacement(replaced, Matcher.quoteReplacement(value));
    }
    return matcher.appendTail(replaced).toString();
  }

  private static List<ShellCommand> commands(
      List<String> given, Container container, Expansion expansion) {
    List<String> words = withoutPrefix(given);
    if (words.size() > 2 && SHELLS.contains(last(words.getFirst()))) {
      for (int i = 1; i < words.size() - 1; i++) {
        if (SCRIPT.matcher(words.get(i)).matches()) {
          return ShellWords.split(words.get(i + 1), container.environment(), expansion);
        }
      }
    }
    return List.of(new ShellCommand(words, When.ALWAYS));
  }

  private static String last(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private Workload recognised(List<String> given, Container container) {
    List<String> words = withoutPrefix(given);
    if (words.isEmpty()) {
      return new Workload.Unknown("it has no command");
    }
    if (words.getFirst().equals(ShellWords.UNKNOWN)) {
      return new Workload.Unknown("only the running pod knows its command");
    }
    String program = last(words.getFirst());
    List<String> rest = words.subList(1, words.size());
    if (program.startsWith("python")) {
      return ofPython(rest, container);
    }
    if (LAUNCHERS.contains(program)) {
      return training(program, rest);
    }
    return switch (program) {
      case "vllm" ->
          !rest.isEmpty() && rest.getFirst().equals("serve")
              ? vllm(rest.subList(1, rest.size()), container)
              : new Workload.Unknown("it runs vllm without serve");
      case "text-generation-launcher" -> tgi(rest, container);
      case "llama-server", "llama-cli" -> other("llama.cpp", rest, "model", "m", "hf-repo", "hf");
      case "ollama" -> other("ollama", rest);
      case "tritonserver" -> other("triton", rest);
      default -> new Workload.Unknown("it runs " + Value.cut(PlainText.of(program)));
    };
  }

  /** Without exec, env assignments, inits and entry points that run what follows them. */
  private static List<String> withoutPrefix(List<String> words) {
    int from = 0;
    while (from < words.size() && isPrefix(words, from)) {
      from++;
    }
    return words.subList(from, words.size());
  }

  private static boolean isPrefix(List<String> words, int at) {
    String word = words.get(at);
    return PREFIXES.contains(last(word))
        || ShellWords.KEYWORDS.contains(word)
        || isEntryPoint(word)
        || word.matches("[A-Za-z_][A-Za-z0-9_]*=.*")
        || (at > 0 && word.matches("-[gs-]")); // of an init
  }

  private Workload ofPython(List<String> words, Container container) {
    int module = words.indexOf("-m");
    if (module < 0 || module + 1 >= words.size()) {
      return new Workload.Unknown("it runs a Python script");
    }
    List<String> rest = words.subList(module + 2, words.size());
    String name = words.get(module + 1);
    if (name.startsWith("vllm.entrypoints")) {
      return vllm(rest, container);
    }
    return switch (name) {
      case "sglang.launch_server" -> other("sglang", rest, "model-path", "model");
      case "huggingfaceserver" -> kserve(rest);
      case "torch.distributed.run", "torch.distributed.launch" -> training("torchrun", rest);
      case "accelerate.commands.launch" -> training("accelerate", rest);
      case "deepspeed.launcher.runner" -> training("deepspeed", rest);
      default -> new Workload.Unknown("it runs the Python module " + Value.cut(PlainText.of(name)));
    };
  }

  private Workload ofImage(List<String> words, Container container) {
    String image = repository(container).toLowerCase(Locale.ROOT);
    if (image.contains("vllm-openai") || image.contains("vllm/vllm") || image.endsWith("/vllm")) {
      return vllm(words, container);
    }
    if (image.contains("sglang")) {
      return other("sglang", words, "model-path", "model");
    }
    if (image.contains("text-generation-inference")) {
      return tgi(words, container);
    }
    if (image.contains("huggingfaceserver")) {
      return kserve(words);
    }
    if (image.contains("llama.cpp")) {
      return other("llama.cpp", words, "model", "m", "hf-repo", "hf");
    }
    if (image.contains("ollama")) {
      return other("ollama", words);
    }
    return image.contains("tritonserver")
        ? other("triton", words)
        : new Workload.Unknown("neither its image nor its command names an engine that is known");
  }

  private Workload vllm(List<String> words, Container container) {
    Flags flags = Flags.of(words, "args");
    List<String> notes = new ArrayList<>();
    Value config = flags.values().get("config");
    if (config != null) {
      Map<String, Value> defaults = new LinkedHashMap<>();
      files
          .apply(config.text())
          .forEach((key, value) ->
              defaults.put(
                  PlainText.of(key.replace('_', '-')),
                  new Value(PlainText.of(value), "config " + config.text())));
      if (defaults.isEmpty()) {
        notes.add("its --config " + config.text() + " could not be read");
      }
      flags = flags.over(defaults);
    }
    unknown(flags, notes);
    notes.addAll(VllmFlags.unknown(flags.values()));
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

  /** KServe's runtime is vLLM unless it says otherwise. */
  private static Workload kserve(List<String> words) {
    Flags flags = Flags.of(words, "args");
    Value backend = flags.values().get("backend");
    Value model = first(flags, "model-id", "model-dir");
    Value where = model == null ? new Value("/mnt/models", "default of KServe") : model;
    if (backend != null && backend.text().equals("huggingface")) {
      return new Workload.Other("kserve", where, flags.values(), List.of());
    }
    List<String> notes = new ArrayList<>();
    notes.add("KServe's image does not name its version of vLLM");
    unknown(flags, notes);
    notes.addAll(VllmFlags.unknown(flags.values()));
    return new Workload.Vllm(where, null, flags.values(), notes);
  }

  private static Workload tgi(List<String> words, Container container) {
    Flags flags = Flags.of(words, "args");
    Map<String, Value> fromEnvironment = new LinkedHashMap<>();
    for (String name :
        List.of(
            "MODEL_ID",
            "NUM_SHARD",
            "QUANTIZE",
            "DTYPE",
            "MAX_TOTAL_TOKENS",
            "MAX_INPUT_TOKENS",
            "MAX_BATCH_TOTAL_TOKENS",
            "MAX_BATCH_PREFILL_TOKENS",
            "CUDA_MEMORY_FRACTION",
            "KV_CACHE_DTYPE")) {
      String value = container.environment().get(name);
      if (value != null) {
        fromEnvironment.put(
            name.toLowerCase(Locale.ROOT).replace('_', '-'),
            new Value(PlainText.of(value), "env " + name));
      }
    }
    Flags all = flags.over(fromEnvironment);
    return new Workload.Other("tgi", first(all, "model-id"), all.values(), List.of());
  }

  private static Workload other(String engine, List<String> words, String... models) {
    Flags flags = Flags.of(words, "args");
    List<String> notes = new ArrayList<>();
    unknown(flags, notes);
    return new Workload.Other(engine, first(flags, models), flags.values(), notes);
  }

  private Workload training(String launcher, List<String> words) {
    Flags flags = Flags.of(words, "args");
    List<String> notes = new ArrayList<>();
    for (String key : List.of("deepspeed", "config-file", "config")) {
      Value file = flags.values().get(key);
      if (file != null && file.text().matches(".*\\.(json|ya?ml)")) {
        Map<String, Value> inside = new LinkedHashMap<>();
        files
            .apply(file.text())
            .forEach((name, value) ->
                inside.put(
                    PlainText.of(name.replace('_', '-')),
                    new Value(PlainText.of(value), "config " + file.text())));
        if (inside.isEmpty()) {
          notes.add("its --" + key + " " + file.text() + " could not be read");
        }
        flags = flags.over(inside);
      }
    }
    unknown(flags, notes);
    return new Workload.Training(
        launcher,
        first(flags, "model-name-or-path", "model-name", "model", "base-model"),
        first(flags, "nproc-per-node", "num-processes", "num-gpus"),
        flags.values(),
        notes);
  }

  private static void unknown(Flags flags, List<String> notes) {
    if (flags.unknown() > 0) {
      notes.add(
          flags.unknown() + " words of its command depend on what only the running pod knows");
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

  /** Of the tag of vLLM's own image or a mirror of it; tags of others count what they like. */
  private static @Nullable Value version(Container container) {
    String repository = repository(container);
    String tag = withoutDigest(container).substring(repository.length()).replaceFirst("^:", "");
    return last(repository).equals("vllm-openai") && VERSION.matcher(tag).matches()
        ? new Value(PlainText.of(tag), "image")
        : null;
  }

  /** The image without tag and digest. */
  private static String repository(Container container) {
    String image = withoutDigest(container);
    int colon = image.lastIndexOf(':');
    return colon > image.lastIndexOf('/') ? image.substring(0, colon) : image;
  }

  private static String withoutDigest(Container container) {
    int at = container.image().indexOf('@');
    return at < 0 ? container.image() : container.image().substring(0, at);
  }
}
