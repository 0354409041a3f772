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
import org.jspecify.annotations.Nullable;

/** Arguments of an engine in a request, read as those of a container. */
public final class EngineArguments {
  private static final String VLLM = "vllm";
  private static final Set<String> LAUNCHERS = Set.of("torchrun", "accelerate", "deepspeed");
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
    List<String> words = words(arguments);
    if (!engine.equals(VLLM) && !LAUNCHERS.contains(engine)) {
      throw InputException.invalidArgument(
          "unknown-engine",
          "Unknown engine '"
              + PlainText.of(engine)
              + "': use vllm, transformers, torchrun, accelerate or deepspeed.");
    }
    List<String> command = new ArrayList<>();
    command.add(engine);
    if (engine.equals(VLLM)) {
      command.add("serve");
    } else if (engine.equals("accelerate")) {
      command.add("launch");
    }
    command.addAll(words);
    EngineRun read =
        EngineRuns.of(
            "",
            new ContainerReader().read(new Container("", command, List.of(), Map.of(), Set.of())));
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
