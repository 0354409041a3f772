package dev.cotenant.llm.pod;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** GPUs over which a server divides its model, beside those that its container requests. */
public final class ServerGpus {
  private static final String LOCAL = "data-parallel-size-local";

  /** Arguments with which replicas of the data are in other pods, too. */
  private static final List<String> SPREAD =
      List.of("data-parallel-rank", "data-parallel-start-rank", "data-parallel-address");

  private ServerGpus() {}

  /**
   * With a line where vLLM takes more GPUs than its container requests; without them it fails.
   *
   * @param requested whole GPUs of the container; null where it states none
   */
  public static Workload compared(Workload workload, @Nullable Integer requested) {
    if (!(workload instanceof Workload.Vllm server) || requested == null) {
      return workload;
    }
    Map<String, Value> flags = server.flags();
    long taken =
        number(flags.get("tensor-parallel-size"))
            * number(flags.get("pipeline-parallel-size"))
            * replicas(flags);
    return taken <= requested
        ? workload
        : workload.noted(
            List.of(
                "vllm takes "
                    + taken
                    + " GPUs and its container requests "
                    + requested
                    + ": where no other pod has the rest, it would not start, and that is not"
                    + " counted"));
  }

  private static long replicas(Map<String, Value> flags) {
    boolean isSpread =
        Stream.concat(SPREAD.stream(), Stream.of(LOCAL)).anyMatch(flags::containsKey);
    return number(flags.get(isSpread ? LOCAL : "data-parallel-size"));
  }

  /** 1 for what is absent or no number, which is refused elsewhere. */
  private static long number(@Nullable Value value) {
    return value == null || !value.text().matches("[0-9]{1,6}") ? 1 : Long.parseLong(value.text());
  }
}
