package dev.cotenant.service.rest;

import dev.cotenant.admission.pod.EngineRuns;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.llm.pod.Container;
import dev.cotenant.llm.pod.ContainerReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Arguments of an engine in a request, read as those of a container. */
public final class EngineArguments {
  /** What a container runs, by engine. */
  private static final Map<String, List<String>> COMMANDS =
      Map.of(
          "vllm", List.of("vllm", "serve"),
          "transformers", List.of("transformers", "serve"),
          "sglang", List.of("python", "-m", "sglang.launch_server"),
          "tgi", List.of("text-generation-launcher"),
          "llama.cpp", List.of("llama-server"),
          "torchrun", List.of("torchrun"),
          "accelerate", List.of("accelerate", "launch"),
          "deepspeed", List.of("deepspeed"));

  private static final int MAX_ARGUMENTS = 1_000;

  private EngineArguments() {}

  /**
   * As a container with these arguments runs it.
   *
   * @param namespace of the container; empty for none
   * @throws InputException ({@code unknown-engine}, {@code bad-arguments})
   */
  public static EngineRun run(
      String namespace,
      String engine,
      @Nullable String version,
      @Nullable List<@Nullable String> arguments) {
    List<String> command = COMMANDS.get(engine);
    if (command == null) {
      throw InputException.invalidArgument(
          "unknown-engine",
          "Unknown engine '"
              + PlainText.of(engine)
              + "': use "
              + String.join(", ", new TreeSet<>(COMMANDS.keySet()))
              + ".");
    }
    List<String> words = Stream.concat(command.stream(), words(arguments).stream()).toList();
    EngineRun read =
        EngineRuns.of(
            "",
            new ContainerReader().read(new Container("", words, List.of(), Map.of(), Set.of())));
    if (read == null) {
      throw InputException.invalidArgument(
          "bad-arguments", "The arguments are not those of " + engine + ".");
    }
    return new EngineRun(
        namespace, read.kind(), read.engine(), version, null, true, read.settings(), read.unread());
  }

  private static List<String> words(@Nullable List<@Nullable String> stated) {
    List<String> arguments = new ArrayList<>();
    if (stated != null) {
      for (String word : stated) {
        if (word == null || arguments.size() == MAX_ARGUMENTS) {
          throw InputException.invalidArgument(
              "bad-arguments",
              "arguments must be at most " + MAX_ARGUMENTS + " texts, each one word.");
        }
        arguments.add(word);
      }
    }
    return arguments;
  }
}
