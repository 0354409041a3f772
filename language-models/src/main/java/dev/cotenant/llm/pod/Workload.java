package dev.cotenant.llm.pod;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a container runs. */
public sealed interface Workload {
  /** With more that could not be read. */
  default Workload noted(List<String> more) {
    return switch (this) {
      case Vllm(var model, var version, var flags, var notes) ->
          new Vllm(model, version, flags, joined(more, notes));
      case Training(var launcher, var model, var gpus, var flags, var notes) ->
          new Training(launcher, model, gpus, flags, joined(more, notes));
      case Generation(var model, var version, var flags, var notes) ->
          new Generation(model, version, flags, joined(more, notes));
      case Other(var engine, var model, var flags, var notes) ->
          new Other(engine, model, flags, joined(more, notes));
      case Unknown unknown -> unknown;
    };
  }

  private static List<String> joined(List<String> first, List<String> second) {
    return Stream.concat(first.stream(), second.stream()).toList();
  }

  /**
   * A server of vLLM.
   *
   * @param model a name or path; null where no argument names one
   * @param version from the image's tag; null where it names none
   * @param flags arguments by their name with dashes, without the leading ones
   * @param notes what could not be read, each one line
   */
  record Vllm(
      @Nullable Value model, @Nullable Value version, Map<String, Value> flags, List<String> notes)
      implements Workload {}

  /**
   * Fine-tuning by a script of transformers under torchrun, accelerate or deepspeed.
   *
   * @param launcher which of them
   * @param gpus processes on a node; null where nothing says
   */
  record Training(
      String launcher,
      @Nullable Value model,
      @Nullable Value gpus,
      Map<String, Value> flags,
      List<String> notes)
      implements Workload {}

  /**
   * A server of plain transformers, one sequence at a time.
   *
   * @param model a name or path; null where requests name it
   * @param version null where nothing states it
   */
  record Generation(
      @Nullable Value model, @Nullable Value version, Map<String, Value> flags, List<String> notes)
      implements Workload {}

  /**
   * Another engine, recognised: at most its weights and its KV cache are known until it is
   * measured.
   *
   * @param engine its name
   */
  record Other(String engine, @Nullable Value model, Map<String, Value> flags, List<String> notes)
      implements Workload {}

  /**
   * Nothing that is known.
   *
   * @param reason one line
   */
  record Unknown(String reason) implements Workload {}
}
