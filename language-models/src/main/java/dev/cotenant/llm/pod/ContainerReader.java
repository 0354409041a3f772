package dev.cotenant.llm.pod;

import dev.cotenant.domain.text.PlainText;
import dev.cotenant.llm.pod.ShellCommand.When;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Recognises what a container runs from its image, command, arguments and environment; nothing is
 * run, and references that only a running pod resolves stay unknown.
 */
public final class ContainerReader {
  private static final Set<String> SHELLS = Set.of("sh", "bash", "ash", "dash", "zsh");
  private static final Set<String> LAUNCHERS =
      Set.of("torchrun", "accelerate", "deepspeed", "axolotl", "llamafactory-cli", "tune", "trl");
  private static final Set<String> PREFIXES =
      Set.of("exec", "env", "nohup", "sudo", "numactl", "tini", "dumb-init");

  /** Words of a shell's grammar that end a compound command. */
  private static final Set<String> CLOSING = Set.of("fi", "done", "esac", "}");

  /** Arguments of transformers' trainer without which a script is any script. */
  private static final List<String> TRAINS = List.of("model-name-or-path", "output-dir");

  private static final Pattern REFERENCE = Pattern.compile("\\$\\(([A-Za-z_][A-Za-z0-9_]*)\\)");
  private static final Pattern ENTRY_POINT = Pattern.compile("(.*[_-])?entrypoint(\\.sh)?");
  private static final Pattern ASSIGNMENT = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*=.*");
  private static final Pattern DURATION = Pattern.compile("[0-9.]{1,12}[smhd]?");
  private static final Set<String> OF_AN_INIT = Set.of("-g", "-s", "--");
  private static final Pattern SCRIPT = Pattern.compile("-[a-z]*c");
  private static final int MAX_WORDS = 10_000;

  private final EngineReader engines;

  /**
   * @param files settings of a mounted configuration file by its path in the container, in which
   *     one folder may be {@code *}; empty where it cannot be read
   */
  public ContainerReader(Function<String, Map<String, String>> files) {
    engines = new EngineReader(files);
  }

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
    return word.contains("entrypoint") && ENTRY_POINT.matcher(last(word)).matches();
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
   * inserted, make a word unknown. Undeclared references stay unchanged, unless more variables may
   * be declared.
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
      return engines.training(program, rest);
    }
    return switch (program) {
      case "vllm" ->
          !rest.isEmpty() && rest.getFirst().equals("serve")
              ? engines.vllm(rest.subList(1, rest.size()), container)
              : new Workload.Unknown("it runs vllm without serve");
      case "text-generation-launcher" -> EngineReader.tgi(rest, container);
      case "llama-server", "llama-cli" -> EngineReader.llamaCpp(rest, container);
      case "ollama" -> EngineReader.other("ollama", rest);
      case "tritonserver" -> engines.triton(rest);
      case "transformers" -> EngineReader.transformers(rest);
      default -> new Workload.Unknown("it runs " + Value.cut(PlainText.of(program)));
    };
  }

  /** Without exec, env assignments, inits and entry points that run what follows them. */
  private static List<String> withoutPrefix(List<String> words) {
    int from = 0;
    int next = 0;
    do {
      from = next;
      next += prefix(words, from);
    } while (next > from);
    return words.subList(from, words.size());
  }

  /** How many words at a place run what follows them; 0 for a command. */
  private static int prefix(List<String> words, int at) {
    if (at >= words.size()) {
      return 0;
    }
    String next = at + 1 < words.size() ? words.get(at + 1) : "";
    boolean isPair =
        switch (last(words.get(at))) {
          case "uv" -> next.equals("run");
          case "timeout" -> DURATION.matcher(next).matches();
          default -> false;
        };
    return isPair ? 2 : isPrefix(words, at) ? 1 : 0;
  }

  private static boolean isPrefix(List<String> words, int at) {
    String word = words.get(at);
    return PREFIXES.contains(last(word))
        || ShellWords.KEYWORDS.contains(word)
        || isEntryPoint(word)
        || ASSIGNMENT.matcher(word).matches()
        || (at > 0 && OF_AN_INIT.contains(word));
  }

  private Workload ofPython(List<String> words, Container container) {
    int module = words.indexOf("-m");
    if (module < 0 || module + 1 >= words.size()) {
      Flags flags = Flags.of(words);
      return TRAINS.stream().allMatch(flags.values()::containsKey)
          ? engines.training("python", words)
          : new Workload.Unknown("it runs a Python script");
    }
    List<String> rest = words.subList(module + 2, words.size());
    String name = words.get(module + 1);
    if (name.startsWith("vllm.entrypoints")) {
      return engines.vllm(rest, container);
    }
    return switch (name) {
      case "sglang.launch_server" -> engines.sglang(rest);
      case "huggingfaceserver" -> EngineReader.kserve(rest, container);
      case "torch.distributed.run", "torch.distributed.launch" ->
          engines.training("torchrun", rest);
      case "accelerate.commands.launch" -> engines.training("accelerate", rest);
      case "deepspeed.launcher.runner" -> engines.training("deepspeed", rest);
      case EngineReader.AXOLOTL -> engines.training("axolotl", rest);
      default -> new Workload.Unknown("it runs the Python module " + Value.cut(PlainText.of(name)));
    };
  }

  private Workload ofImage(List<String> words, Container container) {
    String image = repository(container).toLowerCase(Locale.ROOT);
    if (image.contains("vllm-openai") || image.contains("vllm/vllm") || image.endsWith("/vllm")) {
      return engines.vllm(words, container);
    }
    if (image.contains("sglang")) {
      return engines.sglang(words);
    }
    if (image.contains("text-generation-inference")) {
      return EngineReader.tgi(words, container);
    }
    if (image.contains("huggingfaceserver")) {
      return EngineReader.kserve(words, container);
    }
    if (image.contains("llama.cpp")) {
      return EngineReader.llamaCpp(words, container);
    }
    if (image.contains("ollama")) {
      return EngineReader.other("ollama", words);
    }
    return image.contains("tritonserver")
        ? engines.triton(words)
        : new Workload.Unknown("neither its image nor its command names an engine that is known");
  }

  private static String repository(Container container) {
    return EngineReader.repository(container);
  }
}
