package dev.cotenant.llm.pod;

import dev.cotenant.domain.text.PlainText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Arguments of a command line: {@code --a-b}, {@code --a_b} and {@code --a=b} are one flag, {@code
 * --no-x} is x with the value false, and the last occurrence of a flag wins.
 *
 * @param values by name with dashes, without the leading ones
 * @param positional words that belong to no flag
 * @param unknown how many words could not be read
 */
record Flags(Map<String, Value> values, List<String> positional, int unknown) {
  private static final Map<String, String> SHORT =
      Map.of(
          "tp", "tensor-parallel-size",
          "pp", "pipeline-parallel-size",
          "dp", "data-parallel-size",
          "O", "compilation-config",
          "cc", "compilation-config",
          "sc", "speculative-config",
          "asc", "api-server-count",
          "q", "quantization");

  /** Flags of vLLM that take no value. */
  private static final Set<String> SWITCHES =
      Set.of(
          "enforce-eager",
          "trust-remote-code",
          "enable-lora",
          "enable-prefix-caching",
          "enable-chunked-prefill",
          "disable-log-requests",
          "disable-log-stats",
          "disable-custom-all-reduce",
          "async-scheduling",
          "enable-auto-tool-choice",
          "enable-expert-parallel",
          "enable-reasoning",
          "skip-tokenizer-init",
          "headless",
          "gradient-checkpointing",
          "bf16",
          "fp16",
          "tf32",
          "load-in-4bit",
          "load-in-8bit",
          "use-peft",
          "packing",
          "do-train",
          "do-eval",
          "disable-cuda-graph",
          "multi-gpu",
          "use-fsdp",
          "use-deepspeed");

  private static final String SOURCE = "args";

  /** Flags whose values may be several words. */
  private static final Set<String> LISTS =
      Set.of(
          "lora-target-modules",
          "lora-target",
          "target-modules",
          "lora-modules",
          "modules-to-save",
          "lora-modules-to-save",
          "additional-target",
          "served-model-name",
          "cudagraph-capture-sizes",
          "cuda-graph-sizes");

  static Flags of(List<String> words) {
    return of(words, name -> name);
  }

  /**
   * Of a program that takes abbreviations.
   *
   * @param meant full name of an abbreviated flag, with dashes
   */
  static Flags of(List<String> words, UnaryOperator<String> meant) {
    Map<String, Value> values = new LinkedHashMap<>();
    List<String> positional = new java.util.ArrayList<>();
    int unknown = 0;
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (word.equals(ShellWords.UNKNOWN)) {
        unknown++;
        continue;
      }
      String given = name(word);
      if (given == null) {
        positional.add(word);
        continue;
      }
      int equals = given.indexOf('=');
      String name = meant.apply(dashed(equals < 0 ? given : given.substring(0, equals)));
      if (equals >= 0) {
        put(values, name, given.substring(equals + 1));
      } else if (takesNext(name, words, i)) {
        int last = LISTS.contains(name) ? endOfList(words, i + 1) : i + 1;
        List<String> value = words.subList(i + 1, last + 1);
        i = last;
        if (value.contains(ShellWords.UNKNOWN)) {
          unknown++;
        } else {
          put(values, name, String.join(",", value));
        }
      } else {
        put(values, name, "true");
      }
    }
    return new Flags(values, positional, unknown);
  }

  /** The last word before the next flag. */
  private static int endOfList(List<String> words, int first) {
    int last = first;
    while (last + 1 < words.size() && name(words.get(last + 1)) == null) {
      last++;
    }
    return last;
  }

  private static @Nullable String name(String word) {
    if (word.startsWith("--") && word.length() > 2) {
      return word.substring(2);
    }
    if (word.startsWith("-") && word.length() > 1 && !Character.isDigit(word.charAt(1))) {
      if (word.matches("-O[0-9]")) {
        return "optimization-level=" + word.charAt(2);
      }
      int end = 1;
      while (end < word.length() && "=.".indexOf(word.charAt(end)) < 0) {
        end++;
      }
      String name = word.substring(1, end);
      return SHORT.getOrDefault(name, name) + word.substring(end);
    }
    return null;
  }

  private static boolean takesNext(String name, List<String> words, int at) {
    if (at + 1 >= words.size() || name(words.get(at + 1)) != null) {
      return false;
    }
    String next = words.get(at + 1).toLowerCase(Locale.ROOT);
    boolean truth = next.equals("true") || next.equals("false");
    return truth || (!SWITCHES.contains(name) && !name.startsWith("no-"));
  }

  private static void put(Map<String, Value> values, String key, String text) {
    boolean negated = key.startsWith("no-") && text.equals("true");
    String plain = Value.cut(PlainText.of(key));
    values.put(
        negated ? plain.substring("no-".length()) : plain,
        new Value(PlainText.of(negated ? "false" : text), SOURCE));
  }

  private static String dashed(String name) {
    return name.replace('_', '-');
  }

  /** These, with defaults of lesser precedence, such as those of a configuration file. */
  Flags over(Map<String, Value> defaults) {
    Map<String, Value> all = new LinkedHashMap<>(defaults);
    all.putAll(values);
    return new Flags(all, positional, unknown);
  }
}
