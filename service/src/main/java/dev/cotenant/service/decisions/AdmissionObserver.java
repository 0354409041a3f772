package dev.cotenant.service.decisions;

import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.fill.FillCause;
import dev.cotenant.admission.fill.FillRecord;
import dev.cotenant.admission.fill.FillReport;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.admission.review.Operation;
import dev.cotenant.admission.webhook.AdmissionListener;
import dev.cotenant.admission.webhook.UnmanagedCause;
import dev.cotenant.admission.webhook.WebhookOutcome;
import dev.cotenant.admission.webhook.WebhookOutcome.Outcome;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.quantity.MemorySize;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Counts, logs and records the answers of the webhooks. No tag carries a name that users choose, so
 * that the number of series is bounded.
 */
public final class AdmissionObserver implements AdmissionListener {
  private static final Logger LOG = Logger.getLogger(AdmissionObserver.class);
  private static final String NONE = "none";

  private final MeterRegistry meters;
  private final Consumer<DecisionRecord> recorded;

  /** The registry's own lookup sorts and compares tags at each review. */
  private final Map<Review, Counter> reviews = new ConcurrentHashMap<>();

  /** Tags of a counted review. */
  private record Review(
      WebhookOutcome.Webhook webhook,
      @Nullable Operation operation,
      String outcome,
      Intent intent) {}

  private final Map<Filled, Counter> filled = new ConcurrentHashMap<>();

  /** Tags of a counted fill. */
  private record Filled(Policy.Mode mode, GpuDialect dialect, String outcome, Intent intent) {}

  /** Reviews may come from every client that reaches the port. */
  private final SampledLines unreadable = new SampledLines(InstantSource.system());

  /** Each pod has its record as an annotation. */
  private final SampledLines fills = new SampledLines(InstantSource.system());

  /**
   * @param recorded takes every decision, and must not wait
   */
  public AdmissionObserver(MeterRegistry meters, Consumer<DecisionRecord> recorded) {
    this.meters = meters;
    this.recorded = recorded;
  }

  @Override
  public void answered(WebhookOutcome answer) {
    reviews
        .computeIfAbsent(
            new Review(
                answer.webhook(), answer.operation(), outcome(answer.outcome()), answer.intent()),
            this::counter)
        .increment();
    switch (answer.outcome()) {
      case WebhookOutcome.FailedOpen(String code, String message) -> {
        String webhook = lowerCase(answer.webhook());
        failedOpen(webhook, code);
        unreadable.log(
            () -> LOG.warnf("%s webhook failed open (%s): %s", webhook, code, message),
            skipped -> LOG.warnf("webhooks failed open %d more times", skipped));
      }
      case WebhookOutcome.Crashed(RuntimeException defect) -> {
        String webhook = lowerCase(answer.webhook());
        failedOpen(webhook, "internal-error");
        LOG.errorf(defect, "%s webhook failed open on a defect", webhook);
      }
      case WebhookOutcome.Unmanaged(UnmanagedCause cause) ->
          meters.counter("cotenant.webhook.unmanaged", "cause", cause.label()).increment();
      case WebhookOutcome.Unchanged _,
          WebhookOutcome.Gated _,
          WebhookOutcome.Filled _,
          WebhookOutcome.Previewed _,
          WebhookOutcome.Granted _,
          WebhookOutcome.Confirmed _,
          WebhookOutcome.Released _,
          WebhookOutcome.Refused _ -> {}
    }
  }

  private Counter counter(Review review) {
    return meters.counter(
        "cotenant.webhook.requests",
        "webhook",
        lowerCase(review.webhook()),
        "operation",
        operation(review.operation()),
        "outcome",
        review.outcome(),
        "dry_run",
        dryRun(review.intent()));
  }

  private Counter counter(Filled fill) {
    return meters.counter(
        "cotenant.fills",
        "mode",
        lowerCase(fill.mode()),
        "dialect",
        fill.dialect().word(),
        "outcome",
        fill.outcome(),
        "dry_run",
        dryRun(fill.intent()));
  }

  @Override
  public void decided(DecisionRecord decision) {
    recorded.accept(decision);
    String result = decision.decision().result();
    String reason = reason(decision.decision());
    boolean acted = isActedOn(decision.mode());
    meters
        .counter(
            acted ? "cotenant.decisions" : "cotenant.shadow.decisions",
            "result",
            result,
            "reason",
            reason,
            "dry_run",
            dryRun(decision.intent()))
        .increment();
    LOG.infof(
        "%s %s%s%s%s",
        decision.pod(),
        acted ? "" : "would be ",
        result,
        reason.equals(NONE) ? "" : " for " + reason,
        decision.intent() == Intent.DRY_RUN ? " (dry run)" : "");
  }

  @Override
  public void filled(FillReport report) {
    filled
        .computeIfAbsent(
            new Filled(report.mode(), report.dialect(), report.outcome(), report.intent()),
            this::counter)
        .increment();
    switch (report.result()) {
      case FillReport.Written(FillRecord record, MemorySize freed, _, _) -> {
        boolean acts = report.mode() == Policy.Mode.FILL || report.mode() == Policy.Mode.CAP;
        if (report.intent() == Intent.REAL) {
          meters
              .counter("cotenant.fill.freed.bytes", "mode", lowerCase(report.mode()))
              .increment((double) freed.bytes());
        }
        fills.log(
            () ->
                LOG.infof(
                    "%s %s%s: %s",
                    report.pod(), acts ? "" : "would be ", report.outcome(), record.why()),
            skipped -> LOG.infof("%d more pods were filled", skipped));
      }
      case FillReport.Left(FillCause cause, String sentence) ->
          LOG.debugf("%s is not filled, %s: %s", report.pod(), cause, sentence);
    }
  }

  @Override
  public void killed(PodIdentity pod) {
    meters.counter("cotenant.fill.kills").increment();
    LOG.warnf("%s ran out of the memory that was filled into its request", pod);
  }

  private static boolean isActedOn(Policy.Mode mode) {
    return switch (mode) {
      case OFF, SHADOW, WARN, FILL, CAP -> false;
      case ENFORCE, IMMEDIATE -> true;
    };
  }

  private static String dryRun(Intent intent) {
    return String.valueOf(intent == Intent.DRY_RUN);
  }

  private void failedOpen(String webhook, String cause) {
    meters.counter("cotenant.webhook.failed.open", "webhook", webhook, "cause", cause).increment();
  }

  private static String operation(@Nullable Operation operation) {
    return operation == null ? NONE : lowerCase(operation);
  }

  private static String outcome(Outcome outcome) {
    return switch (outcome) {
      case WebhookOutcome.Unchanged _ -> "unchanged";
      case WebhookOutcome.Gated _ -> "gated";
      case WebhookOutcome.Filled _ -> "filled";
      case WebhookOutcome.Previewed _ -> "previewed";
      case WebhookOutcome.Unmanaged _ -> "unmanaged";
      case WebhookOutcome.Granted _ -> "granted";
      case WebhookOutcome.Confirmed _ -> "confirmed";
      case WebhookOutcome.Released _ -> "released";
      case WebhookOutcome.Refused _ -> "refused";
      case WebhookOutcome.FailedOpen _ -> "failed_open";
      case WebhookOutcome.Crashed _ -> "crashed";
    };
  }

  /** The code of the first reason. */
  private static String reason(Decision decision) {
    return decision instanceof Decision.Admitted ? NONE : decision.reasons().getFirst().code();
  }

  private static String lowerCase(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
