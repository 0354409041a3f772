package dev.cotenant.admission;

import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.decision.Spans;
import dev.cotenant.admission.decision.Spans.Layer;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.review.AdmissionRequest;
import dev.cotenant.admission.review.AdmissionResponse;
import dev.cotenant.admission.review.AdmissionReviewCodec;
import dev.cotenant.admission.review.AdmissionReviewCodec.Body;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.admission.webhook.AdmissionListener;
import dev.cotenant.admission.webhook.AdmissionPorts;
import dev.cotenant.admission.webhook.AdmissionSettings;
import dev.cotenant.admission.webhook.Conclusion;
import dev.cotenant.admission.webhook.MutatingAdmission;
import dev.cotenant.admission.webhook.MutatingAdmission.Work;
import dev.cotenant.admission.webhook.OomKillDetector;
import dev.cotenant.admission.webhook.ValidatingAdmission;
import dev.cotenant.admission.webhook.Warnings;
import dev.cotenant.admission.webhook.WebhookOutcome;
import dev.cotenant.admission.webhook.WebhookOutcome.Outcome;
import dev.cotenant.admission.webhook.WebhookOutcome.Webhook;
import dev.cotenant.domain.InputException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The two webhooks, from the bytes of an AdmissionReview to the bytes of its response.
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
            settings, decisions, ledger, new OomKillDetector(ports.kills(), ports.listener()));
    listener = ports.listener();
    spans = ports.decisions().spans();
  }

  /**
   * Answers the mutating webhook; fails by errors of the runtime alone.
   *
   * @param workers run decisions and whatever else takes long; the caller's thread does the rest
   */
  public CompletableFuture<byte[]> mutate(byte[] body, Executor workers) {
    return switch (codec.decode(body)) {
      case Body.Review(AdmissionRequest request) -> {
        Work work = begin(request);
        Supplier<byte[]> rest = () -> answer(Webhook.MUTATE, request, conclude(work.rest()));
        yield work.isLong()
            ? CompletableFuture.supplyAsync(rest, workers)
            : CompletableFuture.completedFuture(rest.get());
      }
      case Body.Unreadable unread ->
          CompletableFuture.completedFuture(failOpen(Webhook.MUTATE, unread));
    };
  }

  /** The same on the caller's thread alone. */
  public byte[] mutate(byte[] body) {
    return mutate(body, Runnable::run).join();
  }

  /** Answers the validating webhook; never throws. */
  public byte[] validate(byte[] body) {
    return switch (codec.decode(body)) {
      case Body.Review(AdmissionRequest request) ->
          answer(Webhook.VALIDATE, request, conclude(() -> validating.answer(request)));
      case Body.Unreadable unread -> failOpen(Webhook.VALIDATE, unread);
    };
  }

  private byte[] failOpen(Webhook webhook, Body.Unreadable unread) {
    listener.answered(new WebhookOutcome(webhook, null, Intent.REAL, failedOpen(unread.problem())));
    return codec.encode(unread.uid(), allowedUnread(unread.problem().getMessage()));
  }

  private byte[] answer(Webhook webhook, AdmissionRequest request, Conclusion conclusion) {
    byte[] response = spans.in(Layer.PATCH, () -> codec.encode(request.uid(), conclusion.answer()));
    listener.answered(
        new WebhookOutcome(webhook, request.operation(), request.intent(), conclusion.outcome()));
    if (conclusion.decision() != null) {
      listener.decided(conclusion.decision());
    }
    conclusion.fills().forEach(listener::filled);
    return response;
  }

  private Work begin(AdmissionRequest request) {
    return failingOpen(() -> mutating.begin(request), Work::done);
  }

  private static Conclusion conclude(Supplier<Conclusion> work) {
    return failingOpen(work, conclusion -> conclusion);
  }

  private static <T> T failingOpen(Supplier<T> work, Function<Conclusion, T> open) {
    try {
      return work.get();
    } catch (InputException problem) {
      return open.apply(
          new Conclusion(allowedUnread(problem.getMessage()), failedOpen(problem), null));
    } catch (RuntimeException defect) {
      // The one place that catches every exception: a defect of ours must not keep a cluster from
      // creating pods. It is counted and logged apart from bad input.
      return open.apply(
          new Conclusion(
              allowedUnread("internal error; the pod runs unmanaged"),
              new WebhookOutcome.Crashed(defect),
              null));
    }
  }

  private static AdmissionResponse allowedUnread(String why) {
    return AdmissionResponse.unchanged().withWarnings(Warnings.of("failed open: " + why));
  }

  private static Outcome failedOpen(InputException problem) {
    return new WebhookOutcome.FailedOpen(problem.code(), problem.getMessage());
  }
}
