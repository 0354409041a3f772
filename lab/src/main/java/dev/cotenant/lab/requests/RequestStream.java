package dev.cotenant.lab.requests;

import java.util.List;

/**
 * Requests of one application with one objective.
 *
 * @param name unique in a run
 * @param sloMillis the latency objective of a request, waiting and all stages included, positive
 * @param stages of inference, in sequence; at least one
 * @param rates how often requests come: the truth, which policies cannot read
 */
public record RequestStream(String name, double sloMillis, List<Stage> stages, RateCurve rates) {
  public RequestStream {
    stages = List.copyOf(stages);
    if (stages.isEmpty() || !(sloMillis > 0)) {
      throw new IllegalArgumentException(
          "stream '" + name + "' needs a stage and an objective above 0 ms, not " + sloMillis);
    }
  }

  /**
   * Inferences that start together; the stage ends with the last of them.
   *
   * @param parts at least one
   */
  public record Stage(List<Part> parts) {
    public Stage {
      parts = List.copyOf(parts);
      if (parts.isEmpty()) {
        throw new IllegalArgumentException("a stage needs a part");
      }
    }
  }

  /**
   * Inferences of one service.
   *
   * @param service its name
   * @param count at least 1
   */
  public record Part(String service, int count) {
    public Part {
      if (count < 1) {
        throw new IllegalArgumentException("count must be at least 1, is " + count);
      }
    }
  }

  /** One inference a request. */
  public static RequestStream of(String service, double sloMillis, RateCurve rates) {
    return new RequestStream(
        service, sloMillis, List.of(new Stage(List.of(new Part(service, 1)))), rates);
  }

  /** Whether a request is one inference. */
  boolean isSingle() {
    return stages.size() == 1
        && stages.getFirst().parts().size() == 1
        && stages.getFirst().parts().getFirst().count() == 1;
  }

  /** Service of a request with a single inference. */
  String onlyService() {
    return stages.getFirst().parts().getFirst().service();
  }
}
