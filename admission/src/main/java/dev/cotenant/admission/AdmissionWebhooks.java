package dev.cotenant.admission;

import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.decision.Spans;
import dev.cotenant.admission.decision.Spans.Layer;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.review.AdmissionAnswer;
import dev.cotenant.admission.review.AdmissionRequest;
import dev.cotenant.admission.review.AdmissionReviewCodec;
import dev.cotenant.admission.review.AdmissionReviewCodec.Body;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.admission.webhook.AdmissionListener;
import dev.cotenant.admission.webhook.AdmissionPorts;
import dev.cotenant.admission.webhook.AdmissionSettings;
import dev.cotenant.admission.webhook.Conclusion;
import dev.cotenant.admission.webhook.FillDeaths;
import dev.cotenant.admission.webhook.MutatingAdmission;
import dev.cotenant.admission.webhook.ValidatingAdmission;
import dev.cotenant.admission.webhook.Warnings;
import dev.cotenant.admission.webhook.WebhookAnswer;
import dev.cotenant.admission.webhook.WebhookAnswer.Outcome;
import dev.cotenant.admission.webhook.WebhookAnswer.Webhook;
import dev.cotenant.domain.InputException;
import java.util.function.Function;

/**
 * The two webhooks: bytes of an AdmissionReview in, bytes of its answer out.
 *
 * <p>Every answer is a valid AdmissionReview. An unreadable review fails open: it is allowed
 * unchanged with a warning, and the listener counts it. Safe for use by many threads.
 */
public final class AdmissionWebhooks {
  private final AdmissionReviewCodec codec = new AdmissionReviewCodec();
  private final MutatingAdmission mutating;
  private final ValidatingAdmission validating;
  private final AdmissionListener listener;
  private final Spans spans;

  /** Webhooks that decide through these ports; mode Immediate has its grants in this ledger. */
  public AdmissionWebhooks(AdmissionPorts ports, AdmissionSettings settings, Ledger ledger) {
    PodDecisions decisions = new PodDecisions(ports.decisions(), settings.policies(), ledger);
    mutating =
        new MutatingAdmission(settings.policies(), decisions, ledger, ports.kills(), ports.ids());
    validating =
        new ValidatingAdmission(
            settings, decisions, ledger, new FillDeaths(ports.kills(), ports.listener()));
    listener = ports.listener();
    spans = ports.decisions().spans();
  }

  /** Answers the mutating webhook; never throws. */
  public byte[] mutate(byte[] body) {
    return answer(Webhook.MUTATE, body, mutating::answer);
  }

  /** Answers the validating webhook; never throws. */
  public byte[] validate(byte[] body) {
    return answer(Webhook.VALIDATE, body, validating::answer);
  }

  private byte[] answer(
      Webhook webhook, byte[] body, Function<AdmissionRequest, Conclusion> handler) {
    return switch (codec.decode(body)) {
      case Body.Review(AdmissionRequest request) -> answer(webhook, request, handler);
      case Body.Unreadable(String uid, InputException problem) -> {
        listener.answered(new WebhookAnswer(webhook, null, Intent.REAL, failedOpen(problem)));
        yield codec.encode(uid, allowedUnread(problem.getMessage()));
      }
    };
  }

  private byte[] answer(
      Webhook webhook, AdmissionRequest request, Function<AdmissionRequest, Conclusion> handler) {
    Conclusion conclusion = conclude(request, handler);
    byte[] response = spans.in(Layer.PATCH, () -> codec.encode(request.uid(), conclusion.answer()));
    listener.answered(
        new WebhookAnswer(webhook, request.operation(), request.intent(), conclusion.outcome()));
    if (conclusion.decision() != null) {
      listener.decided(conclusion.decision());
    }
    conclusion.fills().forEach(listener::filled);
    return response;
  }

  private static Conclusion conclude(
      AdmissionRequest request, Function<AdmissionRequest, Conclusion> handler) {
    try {
      return handler.apply(request);
    } catch (InputException problem) {
      return new Conclusion(allowedUnread(problem.getMessage()), failedOpen(problem), null);
    } catch (RuntimeException defect) {
      // The one place that catches every exception: a defect of ours must not keep a cluster from
      // creating pods. It is counted and logged apart from bad input.
      return new Conclusion(
          allowedUnread("internal error; the pod runs unmanaged"),
          new WebhookAnswer.Crashed(defect),
          null);
    }
  }

  private static AdmissionAnswer allowedUnread(String why) {
    return AdmissionAnswer.unchanged().withWarnings(Warnings.of("failed open: " + why));
  }

  private static Outcome failedOpen(InputException problem) {
    return new WebhookAnswer.FailedOpen(problem.code(), problem.getMessage());
  }
}
