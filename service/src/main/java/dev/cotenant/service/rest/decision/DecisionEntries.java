package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.decision.ReasonOrder;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.service.access.Visibility;
import dev.cotenant.service.decisions.DecisionStore.Entry;
import dev.cotenant.service.decisions.DecisionStore.Stored;
import dev.cotenant.service.rest.decision.DecisionViews.EntryView;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * Stored decisions in REST form, one for readers of all namespaces and one for those of the pod's
 * namespace.
 */
public final class DecisionEntries {
  /** A refusal has a reason for every GPU; these are the most useful. */
  static final int MAX_REASONS = 50;

  private static final Logger LOG = Logger.getLogger(DecisionEntries.class);

  /** Entries of later versions may have more. */
  private static final JsonMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private DecisionEntries() {}

  /** The stored form of a decision. */
  public static Entry of(DecisionRecord made) {
    Decision shown = ReasonOrder.shortened(made.decision(), MAX_REASONS).decision();
    String namespace = made.pod().namespace();
    return new Entry(
        made.at(),
        namespace,
        made.pod().toString(),
        gpus(shown).distinct().toList(),
        json(EntryView.of(made, shown, Visibility.EVERYTHING)),
        json(EntryView.of(made, shown, new Visibility(namespace))));
  }

  /** GPUs that a decision grants, or that its reasons are about. */
  static Stream<String> gpus(Decision decision) {
    return switch (decision) {
      case Decision.Admitted(List<Grant> grants, var _) -> grants.stream().map(Grant::gpuUuid);
      case Decision.Held(List<Reason> reasons) -> ofReasons(reasons);
      case Decision.Denied(List<Reason> reasons) -> ofReasons(reasons);
    };
  }

  private static Stream<String> ofReasons(List<Reason> reasons) {
    return reasons.stream()
        .filter(Reason.OfGpu.class::isInstance)
        .map(reason -> ((Reason.OfGpu) reason).gpuUuid());
  }

  private static String json(EntryView view) {
    try {
      return JSON.writeValueAsString(view);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A stored decision; empty where a later version wrote it in another form. */
  static Optional<EntryView> view(Stored stored, Visibility visibility) {
    Entry entry = stored.entry();
    boolean isWhole = visibility.equals(Visibility.EVERYTHING);
    try {
      return Optional.of(
          JSON.readValue(isWhole ? entry.content() : entry.ownContent(), EntryView.class));
    } catch (JsonProcessingException e) {
      LOG.warnf("Stored decision %d cannot be read: %s", stored.number(), e.getOriginalMessage());
      return Optional.empty();
    }
  }
}
