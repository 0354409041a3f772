package dev.cotenant.service.tracing;

import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.decision.Spans;
import dev.cotenant.admission.fill.FillReport;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.webhook.AdmissionListener;
import dev.cotenant.admission.webhook.ReviewHandler;
import dev.cotenant.admission.webhook.WebhookOutcome;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jboss.logging.MDC;

/**
 * Traces by OpenTelemetry's SDK, sent by OTLP over HTTP. Where the collector is behind or away,
 * spans are dropped; no review waits.
 */
public final class OtlpTracing implements Tracing {
  private static final Duration EXPORT_TIMEOUT = Duration.ofSeconds(10);
  private static final long CLOSE_SECONDS = 5;
  private static final int MAX_VALUE_LENGTH = 256;

  private final SdkTracerProvider provider;
  private final Tracer tracer;

  OtlpTracing(SpanProcessor processor, double share, String instance) {
    provider =
        SdkTracerProvider.builder()
            .setResource(
                Resource.getDefault()
                    .merge(
                        Resource.create(
                            Attributes.builder()
                                .put("service.name", "cotenant")
                                .put("service.instance.id", instance)
                                .build())))
            .setIdGenerator(new SecureIds())
            .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(share)))
            .setSpanLimits(
                SpanLimits.builder().setMaxAttributeValueLength(MAX_VALUE_LENGTH).build())
            .addSpanProcessor(processor)
            .build();
    tracer = provider.get("dev.cotenant");
  }

  /**
   * Traces that are sent to a collector.
   *
   * @param collector its base URL for OTLP over HTTP, such as {@code http://collector:4318}
   * @param share of the reviews that are traced, 0 to 1
   * @param instance name of this process
   */
  public static OtlpTracing to(URI collector, double share, String instance) {
    String base = collector.toString();
    OtlpHttpSpanExporter exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint((base.endsWith("/") ? base : base + "/") + "v1/traces")
            .setTimeout(EXPORT_TIMEOUT)
            .setMeterProvider(MeterProvider.noop())
            .build();
    return new OtlpTracing(
        BatchSpanProcessor.builder(exporter).setMeterProvider(MeterProvider.noop()).build(),
        share,
        instance);
  }

  @Override
  public ReviewHandler review(String webhook, ReviewHandler handler) {
    return (body, workers) -> {
      Span span =
          tracer
              .spanBuilder("review " + webhook)
              .setNoParent()
              .setSpanKind(SpanKind.SERVER)
              .startSpan();
      Executor traced = work -> workers.execute(() -> in(span, work));
      return CompletableFuture.completedFuture(body)
          .thenComposeAsync(review -> handler.answer(review, traced), work -> in(span, work))
          .whenComplete((_, _) -> span.end());
    };
  }

  private static void in(Span review, Runnable work) {
    MDC.put("traceId", review.getSpanContext().getTraceId());
    try (Scope _ = review.makeCurrent()) {
      work.run();
    } finally {
      MDC.remove("traceId");
    }
  }

  @Override
  public Spans spans() {
    return new Spans() {
      @Override
      public <T> T in(Layer layer, Supplier<T> work) {
        return span(layer, work);
      }
    };
  }

  /** Nothing outside of a review, such as an explanation for REST. */
  private <T> T span(Spans.Layer layer, Supplier<T> work) {
    if (!Span.current().getSpanContext().isValid()) {
      return work.get();
    }
    Span span = tracer.spanBuilder(layer.name().toLowerCase(Locale.ROOT)).startSpan();
    try (Scope _ = span.makeCurrent()) {
      return work.get();
    } finally {
      span.end();
    }
  }

  @Override
  public AdmissionListener listening(AdmissionListener listener) {
    return new AdmissionListener() {
      @Override
      public void answered(WebhookOutcome answer) {
        Span.current()
            .setAttribute(
                PodAttributes.OUTCOME,
                answer.outcome().getClass().getSimpleName().toLowerCase(Locale.ROOT));
        listener.answered(answer);
      }

      @Override
      public void decided(DecisionRecord decision) {
        Span review = Span.current();
        PodAttributes.describe(review, decision.pod());
        PodAttributes.describe(review, decision.decision());
        listener.decided(decision);
      }

      @Override
      public void filled(FillReport report) {
        listener.filled(report);
      }

      @Override
      public void killed(PodIdentity pod) {
        listener.killed(pod);
      }
    };
  }

  @Override
  public Supplier<String> ids(Supplier<String> random) {
    return () ->
        Objects.requireNonNullElseGet(AdmissionTrace.id(Span.current().getSpanContext()), random);
  }

  @Override
  public GateTracing gate() {
    return new OtlpGateTracing(tracer);
  }

  @Override
  public void close() {
    provider.shutdown().join(CLOSE_SECONDS, TimeUnit.SECONDS);
  }
}
