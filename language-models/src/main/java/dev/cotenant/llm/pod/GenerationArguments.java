package dev.cotenant.llm.pod;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.inference.GenerationSettings;
import dev.cotenant.llm.inference.TransformersVersion;
import dev.cotenant.llm.model.LanguageModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Arguments of generation with transformers as settings.
 *
 * @param settings what is predicted
 * @param most the run with the longest prompt that nothing excludes; the upper bound is its
 * @param assumed one line for each value that nothing states
 */
public record GenerationArguments(
    GenerationSettings settings, GenerationSettings most, List<String> assumed) {
  public static final String PROMPT = "prompt-tokens";
  public static final String GENERATED = "generated-tokens";

  /** Flags that {@link #of} and {@link VllmArguments#modelAsRun} read, by name with dashes. */
  public static final Set<String> NAMES = Set.of(PROMPT, GENERATED, "dtype", "quantization");

  /** Server arguments without effect on memory. */
  private static final Set<String> HARMLESS =
      Set.of(
          "backend",
          "enable-cors",
          "force-model",
          "grpc-port",
          "host",
          "http-port",
          "log-level",
          "model-dir",
          "model-id",
          "model-name",
          "port");

  /** Tokens of a prompt and of an answer where nothing states them. */
  public static final long USUAL_TOKENS = 1_024;

  private static final long MAX_TOKENS = 1L << 24;

  public GenerationArguments {
    assumed = List.copyOf(assumed);
  }

  /**
   * Of flags by name.
   *
   * @param version null where nothing states it
   * @throws InputException ({@code bad-engine-argument}) naming the argument
   */
  public static GenerationArguments of(
      LanguageModel model, @Nullable TransformersVersion version, Map<String, Value> flags) {
    List<String> assumed = new ArrayList<>();
    Long prompt = tokens(PROMPT, flags, assumed);
    Long generated = tokens(GENERATED, flags, assumed);
    long answer = generated == null ? USUAL_TOKENS : generated;
    long asked = prompt == null ? USUAL_TOKENS : prompt;
    long longest = Math.max(asked, model.positions().longest() - answer);
    return new GenerationArguments(
        new GenerationSettings(version, asked, answer, 1),
        new GenerationSettings(version, longest, answer, 1),
        assumed);
  }

  /** A line for each argument that is neither read nor known to leave memory as it is. */
  static List<String> unknown(Map<String, Value> flags) {
    return flags.keySet().stream()
        .filter(name -> !NAMES.contains(name) && !HARMLESS.contains(name))
        .sorted()
        .map(name -> "its --" + name + " may take memory that is not counted")
        .toList();
  }

  private static @Nullable Long tokens(
      String name, Map<String, Value> flags, List<String> assumed) {
    Value stated = flags.get(name);
    if (stated == null) {
      assumed.add("the number of " + name + " is not stated: " + USUAL_TOKENS + " is assumed");
      return null;
    }
    if (!stated.text().matches("[0-9]{1,9}") || Long.parseLong(stated.text()) > MAX_TOKENS) {
      throw InputException.invalidArgument(
          "bad-engine-argument",
          name
              + " "
              + stated.text()
              + " ("
              + stated.source()
              + ") is not a whole number up to "
              + MAX_TOKENS
              + ".");
    }
    return Long.valueOf(stated.text());
  }
}
