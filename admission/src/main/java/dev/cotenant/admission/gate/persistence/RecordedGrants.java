package dev.cotenant.admission.gate.persistence;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.patch.GrantDigest;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The leaders' record of grants in namespaces that no webhook guards, where every user may write
 * annotations. A grant of an earlier term is read from a pod there only where the record has it.
 */
final class RecordedGrants {
  private final Predicate<String> optedIn;
  private final Term term;
  private Map<String, String> earlier = Map.of();
  private Map<String, Recorded> known = Map.of();

  private record Recorded(PodGrant grant, String digest) {
    static Recorded of(PodGrant grant, @Nullable Recorded before) {
      return before != null && before.isOf(grant)
          ? before
          : new Recorded(grant, GrantDigest.of(grant));
    }

    @SuppressWarnings("ReferenceEquality") // a digest takes longer than a write is waited for
    private boolean isOf(PodGrant other) {
      return grant == other;
    }
  }

  /**
   * @param optedIn namespaces that a webhook guards
   */
  RecordedGrants(Predicate<String> optedIn, Term term) {
    this.optedIn = optedIn;
    this.term = term;
  }

  /** Starts from the record of earlier leaders, digests by uid. */
  void open(Map<String, String> digests) {
    earlier = digests;
  }

  /** Whether earlier leaders granted a pod what its annotations say. */
  boolean has(WatchedPod pod) {
    return GrantDigest.of(pod.uid(), pod.annotations()).equals(earlier.get(pod.uid()));
  }

  /** The record for the next leader: present grants, and those of pods that are not read yet. */
  Map<String, String> digests() {
    Map<String, Recorded> present = new HashMap<>();
    Map<String, String> digests = new HashMap<>();
    earlier.forEach((uid, digest) -> {
      if (term.pods().find(uid) != null) {
        digests.put(uid, digest);
      }
    });
    for (PodGrant grant : term.ledger().all()) {
      if (!grant.isNomination() && !optedIn.test(grant.pod().namespace())) {
        Recorded recorded = Recorded.of(grant, known.get(grant.key()));
        present.put(grant.key(), recorded);
        digests.put(grant.key(), recorded.digest);
      }
    }
    known = present;
    return digests;
  }
}
