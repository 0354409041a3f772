package dev.cotenant.service.tracing;

import dev.cotenant.admission.pod.CotenantAnnotations;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A trace in the random part of an admission id: 32 hexadecimal digits of the trace and 16 of the
 * review's span [W3C Trace Context, section 3.2.2]. Ids of other lengths carry no trace.
 */
final class AdmissionTrace {
  private static final Pattern ID = Pattern.compile("([0-9a-f]{32})([0-9a-f]{16})(-[0-9a-f]{8})?");

  private AdmissionTrace() {}

  /** The id for a review; null where it is not traced. */
  static @Nullable String id(SpanContext review) {
    return review.isValid() && review.isSampled() ? review.getTraceId() + review.getSpanId() : null;
  }

  /** The review of the pod with these annotations; null where it was not traced. */
  static @Nullable Context review(Map<String, String> annotations) {
    Matcher id = ID.matcher(annotations.getOrDefault(CotenantAnnotations.ADMISSION_ID, ""));
    if (!id.matches()) {
      return null;
    }
    SpanContext context =
        SpanContext.createFromRemoteParent(
            id.group(1), id.group(2), TraceFlags.getSampled(), TraceState.getDefault());
    return context.isValid() ? Context.root().with(Span.wrap(context)) : null;
  }
}
