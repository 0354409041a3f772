package dev.cotenant.service.tracing;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Decision.Admitted;
import dev.cotenant.domain.text.PlainText;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;

/** Attributes of spans; names of pods and nodes are outside input and become plain text. */
final class PodAttributes {
  static final AttributeKey<String> NAMESPACE = AttributeKey.stringKey("k8s.namespace.name");
  static final AttributeKey<String> POD = AttributeKey.stringKey("k8s.pod.name");
  static final AttributeKey<String> UID = AttributeKey.stringKey("k8s.pod.uid");
  static final AttributeKey<String> NODE = AttributeKey.stringKey("k8s.node.name");
  static final AttributeKey<String> GPU = AttributeKey.stringKey("cotenant.gpu");
  static final AttributeKey<String> RESULT = AttributeKey.stringKey("cotenant.result");
  static final AttributeKey<String> REASON = AttributeKey.stringKey("cotenant.reason");
  static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("cotenant.outcome");

  private PodAttributes() {}

  static void describe(Span span, WatchedPod pod) {
    describe(span, pod.pod());
    span.setAttribute(UID, PlainText.of(pod.uid()));
  }

  static void describe(Span span, PodIdentity pod) {
    span.setAttribute(NAMESPACE, PlainText.of(pod.namespace()));
    if (pod.name() != null) {
      span.setAttribute(POD, PlainText.of(pod.name()));
    }
  }

  /** The result, where it is and the code of its first reason. */
  static void describe(Span span, Decision decision) {
    span.setAttribute(RESULT, decision.result());
    if (decision instanceof Admitted admitted) {
      span.setAttribute(NODE, PlainText.of(GrantAnnotations.node(admitted)));
      span.setAttribute(GPU, PlainText.of(GrantAnnotations.gpus(admitted)));
    } else {
      span.setAttribute(REASON, decision.reasons().getFirst().code());
    }
  }
}
