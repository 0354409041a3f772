package dev.cotenant.service.tracing;

import dev.cotenant.admission.cluster.ClusterWriter;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.review.JsonPatch;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Another writer; its patches and bindings are spans until their results. */
final class TracedWriter implements ClusterWriter {
  private final ClusterWriter writer;
  private final OtlpGateTracing tracing;

  TracedWriter(ClusterWriter writer, OtlpGateTracing tracing) {
    this.writer = writer;
    this.tracing = tracing;
  }

  @Override
  public void patch(WatchedPod pod, JsonPatch patch, Consumer<WriteResult> done) {
    Span span = tracing.write("patch", pod.uid(), pod.annotations());
    if (span != null) {
      PodAttributes.describe(span, pod);
    }
    writer.patch(pod, patch, ending(span, done));
  }

  @Override
  public void bind(Binding binding, Consumer<WriteResult> done) {
    Span span = tracing.write("bind", binding.uid(), binding.annotations());
    if (span != null) {
      PodAttributes.describe(span, binding.pod());
      span.setAttribute(PodAttributes.NODE, binding.node());
    }
    writer.bind(binding, ending(span, done));
  }

  private static Consumer<WriteResult> ending(@Nullable Span span, Consumer<WriteResult> done) {
    if (span == null) {
      return done;
    }
    return result -> {
      span.setAttribute(
          PodAttributes.OUTCOME, result.getClass().getSimpleName().toLowerCase(Locale.ROOT));
      if (!(result instanceof WriteResult.Done)) {
        span.setStatus(StatusCode.ERROR);
      }
      span.end();
      done.accept(result);
    };
  }

  @Override
  public void read(PodIdentity pod, String uid, Consumer<PodLookupResult> done) {
    writer.read(pod, uid, done);
  }

  @Override
  public void delete(WatchedPod pod, Consumer<WriteResult> done) {
    writer.delete(pod, done);
  }

  @Override
  public void evict(WatchedPod pod, Consumer<EvictionResult> done) {
    writer.evict(pod, done);
  }

  @Override
  public void claim(WatchedPod pod, String name, DeviceClaim wanted, Consumer<WriteResult> done) {
    writer.claim(pod, name, wanted, done);
  }

  @Override
  public void report(WatchedPod pod, PodEvent event) {
    writer.report(pod, event);
  }
}
