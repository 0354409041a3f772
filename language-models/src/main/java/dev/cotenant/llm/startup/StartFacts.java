package dev.cotenant.llm.startup;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.serving.VllmVersion;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Facts of one start, line by line. A fact that two lines state differently is a contradiction. */
final class StartFacts {
  private static final double MAX_GIB = 4096;
  private static final double ROUNDING = 0.02;
  private static final int MAX_FLAGS = 500;
  private static final String NUMBER = "(-?[0-9]{1,6}(?:\\.[0-9]{1,6})?)";
  private static final String VERSION = "([0-9]{1,4}\\.[0-9]{1,4}(?:\\.[0-9A-Za-z.+-]{1,60})?)";

  /** The banner of the API server, and the engine's own line. */
  private static final Pattern BANNER =
      Pattern.compile("(?:vLLM|utils\\.py).{0,120}\\bversion " + VERSION + "\\s{0,8}$");

  private static final Pattern ENGINE =
      Pattern.compile("Initializing an? (?:V1 )?LLM engine \\(v" + VERSION + "\\) with config: ");

  /** Workers of other ranks, whose figures differ a little. */
  private static final Pattern OTHER_RANK =
      Pattern.compile(
          "(?:^|\\s)\\((?:Worker|EngineCore|VllmWorker)\\S{0,20}_?(?:TP|PP|DP|rank=)[1-9]");

  /** Workers that do not know their rank yet. */
  private static final Pattern ANY_RANK = Pattern.compile("(?:^|\\s)\\(Worker pid=");

  private static final Pattern DEFAULT =
      Pattern.compile("Defaulting (max_num_batched_tokens|max_num_seqs) to ([0-9]{1,9})\\b");

  private static final Pattern CONFIG =
      Pattern.compile(
          "\\b(model|dtype|tensor_parallel_size|pipeline_parallel_size|quantization|enforce_eager"
              + "|kv_cache_dtype|max_seq_len)=('[^']{0,400}'|[A-Za-z0-9_.]{1,100})");

  /** Amounts in GiB by the line that states them; a group each. */
  private record Amounts(Pattern line, List<String> names) {
    static Amounts of(String regex, String... names) {
      return new Amounts(Pattern.compile(regex.replace("#", NUMBER)), List.of(names));
    }
  }

  private static final List<Amounts> AMOUNTS =
      List.of(
          Amounts.of("total_memory=#\\s?GiB, cuda_memory=#\\s?GiB", "total", "context"),
          Amounts.of("Model loading took # GiB", "weights"),
          Amounts.of(
              "torch peak memory increase: #\\s?GiB; non-torch forward increase memory: #\\s?GiB",
              "activation",
              "non-torch"),
          Amounts.of("Available KV cache memory: #\\s?GiB", "kv-cache"),
          Amounts.of("Graph capturing finished in .{1,40}, took # GiB", "graphs"));

  private static final Pattern TOKENS =
      Pattern.compile("GPU KV cache size: ([0-9]{1,3}(?:,[0-9]{3}){0,6}) tokens");

  private static final Pattern FAILED =
      Pattern.compile("EngineCore failed to start|Engine core initialization failed|Traceback \\(");

  private final String place;
  private final Map<String, Double> amounts = new HashMap<>();
  private final Map<String, Value> flags = new LinkedHashMap<>();
  private String version = "";
  private String model = "";
  private boolean failed;
  private @Nullable String contradiction;

  StartFacts(String place) {
    this.place = place;
  }

  String place() {
    return place;
  }

  /** The release that a line of a start's beginning names; null for other lines. */
  static @Nullable String version(String line) {
    Matcher engine = ENGINE.matcher(line);
    if (engine.find()) {
      return engine.group(1);
    }
    Matcher banner = BANNER.matcher(line);
    return line.length() < 400 && banner.find() ? banner.group(1) : null;
  }

  /** Whether a further banner begins another start: this one has amounts or failed. */
  boolean isBegun() {
    return failed || !amounts.isEmpty();
  }

  void add(String line) {
    String named = version(line);
    if (named != null) {
      version = stated("version", version, named);
    }
    int arguments = line.indexOf("non-default args: {");
    if (arguments >= 0) {
      PythonDict.read(line, line.indexOf('{', arguments)).forEach(this::argument);
      return;
    }
    if (ENGINE.matcher(line).find()) {
      config(line);
      return;
    }
    Matcher chosen = DEFAULT.matcher(line);
    if (chosen.find()) {
      flag(chosen.group(1), chosen.group(2));
      return;
    }
    failed |= FAILED.matcher(line).find();
    if (!OTHER_RANK.matcher(line).find()) {
      amounts(line);
    }
  }

  private void argument(String name, String value) {
    if (name.equals("model") || name.equals("model_tag")) {
      model = stated("model", model, PlainText.of(value));
    }
    flag(name, value);
  }

  private void config(String line) {
    Matcher matcher = CONFIG.matcher(line);
    while (matcher.find()) {
      String value = matcher.group(2).replace("'", "").replace("torch.", "");
      String name = matcher.group(1).equals("max_seq_len") ? "max_model_len" : matcher.group(1);
      if (name.equals("model")) {
        model = model.isEmpty() ? PlainText.of(value) : model;
      } else if (!value.equals("None") && !flags.containsKey(dashed(name))) {
        flag(name, value);
      }
    }
  }

  private void flag(String name, String value) {
    if (flags.size() < MAX_FLAGS) {
      String text = value.equals("True") ? "true" : value.equals("False") ? "false" : value;
      flags.put(dashed(name), new Value(PlainText.of(text), "log"));
    }
  }

  private static String dashed(String name) {
    return PlainText.of(name.replace('_', '-'));
  }

  private void amounts(String line) {
    for (Amounts kind : AMOUNTS) {
      Matcher matcher = kind.line().matcher(line);
      if (matcher.find()) {
        for (int i = 0; i < kind.names().size(); i++) {
          amount(line, kind.names().get(i), Double.parseDouble(matcher.group(i + 1)));
        }
      }
    }
    Matcher tokens = TOKENS.matcher(line);
    if (tokens.find()) {
      amount(line, "tokens", Double.parseDouble(tokens.group(1).replace(",", "")));
    }
  }

  private void amount(String line, String name, double value) {
    Double before = amounts.putIfAbsent(name, value);
    if (before != null && Math.abs(before - value) > ROUNDING && !ANY_RANK.matcher(line).find()) {
      contradiction = name + " is stated as " + before + " and as " + value;
    }
  }

  private String stated(String what, String before, String now) {
    if (!before.isEmpty() && !before.equals(now)) {
      contradiction = what + " is stated as " + before + " and as " + PlainText.of(now);
    }
    return before.isEmpty() ? now : before;
  }

  /** Why nothing is learned from it; null where something is. */
  @Nullable String problem() {
    if (contradiction != null) {
      return contradiction + ": lines of several engines are mixed; read one log for each";
    }
    if (failed) {
      return "the engine did not start";
    }
    if (!amounts.containsKey("kv-cache") || !amounts.containsKey("weights")) {
      return "its log ends before the KV cache is allocated";
    }
    for (Map.Entry<String, Double> amount : amounts.entrySet()) {
      boolean tokens = amount.getKey().equals("tokens");
      double least = amount.getKey().matches("graphs|non-torch") ? -1 : 0;
      if (amount.getValue() < least || (!tokens && amount.getValue() > MAX_GIB)) {
        return amount.getKey() + " of " + amount.getValue() + " is not an amount of GPU memory";
      }
    }
    double total = amounts.getOrDefault("total", MAX_GIB);
    double sum = 0;
    for (String part : List.of("weights", "activation", "non-torch", "kv-cache")) {
      sum += amounts.getOrDefault(part, 0.0);
    }
    return sum > total * (1 + ROUNDING)
        ? String.format(java.util.Locale.ROOT, "its parts sum to %.2f of %.2f GiB", sum, total)
        : null;
  }

  /** What a start without a {@link #problem} states. */
  EngineStart start() {
    return new EngineStart(
        place,
        VllmVersion.of(version),
        model,
        flags,
        new EngineStart.Measured(
            bytes("total"),
            bytes("context"),
            bytes("weights"),
            bytes("activation"),
            bytes("non-torch"),
            bytes("graphs"),
            bytes("kv-cache"),
            amounts.get("tokens")));
  }

  private @Nullable Double bytes(String name) {
    Double gib = amounts.get(name);
    return gib == null ? null : gib * MemorySize.GIB;
  }
}
