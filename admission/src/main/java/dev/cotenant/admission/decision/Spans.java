package dev.cotenant.admission.decision;

import java.util.function.Supplier;

/**
 * Port: the layers of a review as spans of its trace. Called on the thread of the review;
 * implementations are quick and add no exception.
 */
public interface Spans {
  /** No traces. */
  Spans NONE =
      new Spans() {
        @Override
        public <T> T in(Layer layer, Supplier<T> work) {
          return work.get();
        }
      };

  /** Runs the work in a child span of the review and returns its result. */
  <T> T in(Layer layer, Supplier<T> work);

  /** What a span is about. */
  enum Layer {
    /** The predictions of the pod's workload. */
    PREDICT,
    /** The decision, with its allocation. */
    DECIDE,
    /** The answer with its JSON patch. */
    PATCH
  }
}
