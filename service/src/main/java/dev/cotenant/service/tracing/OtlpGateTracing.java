package dev.cotenant.service.tracing;

import dev.cotenant.admission.cluster.ClusterWriter;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.domain.decision.Decision;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Spans of the gate controller, as children of the pods' reviews. */
final class OtlpGateTracing implements GateTracing {
  private final Tracer tracer;

  /** Of this cycle, by uid: spans that are sent only if the result is new. */
  private final Map<String, Attempt> held = new HashMap<>();

  private @Nullable Deciding deciding;

  OtlpGateTracing(Tracer tracer) {
    this.tracer = tracer;
  }

  private static final class Deciding {
    private final String uid;
    private final Context context;
    private boolean ungates;

    private Deciding(String uid, Context context) {
      this.uid = uid;
      this.context = context;
    }
  }

  private record Attempt(Span span, Instant end) {}

  @Override
  public void deciding(WatchedPod pod, Runnable work) {
    Context review = AdmissionTrace.review(pod.annotations());
    if (review == null) {
      work.run();
      return;
    }
    Span span = decide(pod, review);
    Deciding mine = new Deciding(pod.uid(), review.with(span));
    deciding = mine;
    try {
      work.run();
    } finally {
      deciding = null;
    }
    if (mine.ungates) {
      span.setAttribute(PodAttributes.RESULT, "Ungated");
      span.end();
    } else {
      held.put(pod.uid(), new Attempt(span, Instant.now()));
    }
  }

  private Span decide(WatchedPod pod, Context review) {
    Span span = tracer.spanBuilder("decide").setParent(review).startSpan();
    PodAttributes.describe(span, pod);
    return span;
  }

  @Override
  public void decided(WatchedPod pod, Decision decision) {
    Attempt attempt = held.remove(pod.uid());
    Context review = AdmissionTrace.review(pod.annotations());
    if (attempt == null && review != null) {
      attempt = new Attempt(decide(pod, review), Instant.now()); // reported after its cycle
    }
    if (attempt != null) {
      PodAttributes.describe(attempt.span(), decision);
      attempt.span().end(attempt.end());
    }
  }

  @Override
  public void cycled() {
    held.clear();
  }

  @Override
  public ClusterWriter writing(ClusterWriter writer) {
    return new TracedWriter(writer, this);
  }

  /** A write for a pod; null where its review was not traced. */
  @Nullable Span write(String name, String uid, Map<String, String> annotations) {
    Context parent = AdmissionTrace.review(annotations);
    Deciding mine = deciding;
    if (parent != null && mine != null && mine.uid.equals(uid)) {
      mine.ungates = true;
      parent = mine.context;
    }
    return parent == null
        ? null
        : tracer.spanBuilder(name).setParent(parent).setSpanKind(SpanKind.CLIENT).startSpan();
  }
}
