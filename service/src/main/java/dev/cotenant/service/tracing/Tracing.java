package dev.cotenant.service.tracing;

import dev.cotenant.admission.decision.Spans;
import dev.cotenant.admission.webhook.AdmissionListener;
import dev.cotenant.admission.webhook.ReviewHandler;
import java.util.function.Supplier;

/** Traces of reviews; the pod's admission id carries a trace to the gate controller. */
public interface Tracing extends AutoCloseable {
  /** No traces, and no code of their library. */
  Tracing OFF =
      new Tracing() {
        @Override
        public ReviewHandler review(String webhook, ReviewHandler handler) {
          return handler;
        }

        @Override
        public Spans spans() {
          return Spans.NONE;
        }

        @Override
        public AdmissionListener listening(AdmissionListener listener) {
          return listener;
        }

        @Override
        public Supplier<String> ids(Supplier<String> random) {
          return random;
        }

        @Override
        public GateTracing gate() {
          return GateTracing.OFF;
        }

        @Override
        public void close() {}
      };

  /**
   * A handler of reviews that begins a trace with each.
   *
   * @param webhook its name
   */
  ReviewHandler review(String webhook, ReviewHandler handler);

  /** Child spans of a review. */
  Spans spans();

  /** The listener; what it receives is an attribute of the review's span too. */
  AdmissionListener listening(AdmissionListener listener);

  /**
   * Ids of admissions.
   *
   * @param random gives those of reviews without a trace
   */
  Supplier<String> ids(Supplier<String> random);

  /** Traces of the gate controller. */
  GateTracing gate();

  /** Sends what is left, within seconds. */
  @Override
  void close();
}
