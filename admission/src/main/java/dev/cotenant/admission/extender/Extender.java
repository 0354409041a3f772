package dev.cotenant.admission.extender;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.capacity.CapacityLedger;
import dev.cotenant.admission.capacity.NotLeadingException;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.extender.ExtenderRequest.Full;
import dev.cotenant.admission.extender.ExtenderRequest.Named;
import dev.cotenant.admission.ledger.Claim;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodDocument;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.PodRequestReader;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.decision.Decision;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler extender: bytes of ExtenderArgs in, bytes of a result out, for any input.
 *
 * <p>Only GPU pods with an annotation of {@code cotenant.dev/} are filtered; all others pass on
 * every node. A pod with a grant passes on its node alone. Any other is decided on, by the form of
 * the arguments:
 *
 * <ul>
 *   <li>Node names: the scheduler places the pod. It passes on one node, where its capacity is
 *       allocated, so that the next pod is not sent there too: until the scheduler has bound it
 *       there or elsewhere, or until the grant expires. A repeated call releases the earlier grant.
 *   <li>Nodes in full: a simulation, such as that of an autoscaler. Nothing is allocated, and every
 *       node that fits passes.
 * </ul>
 *
 * <p>Safe for use by many threads.
 */
public final class Extender {
  /** Nodes have about 10 KiB each in full. */
  public static final int MAX_BYTES = 64 << 20;

  private static final int MAX_CHOSEN = 10_000;

  private final ExtenderCodec codec = new ExtenderCodec();
  private final PodRequestReader reader = new PodRequestReader();
  private final NodeVerdicts verdicts;
  private final CapacityLedger capacity;

  /** The chosen nodes, by uid; the oldest is dropped. */
  private final Map<String, String> chosen =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
          return size() > MAX_CHOSEN;
        }
      };

  public Extender(PodDecisions decisions, CapacityLedger capacity) {
    this.verdicts = new NodeVerdicts(decisions);
    this.capacity = capacity;
  }

  /** Answers the filter verb; errors are in its {@code Error}. */
  public byte[] filter(byte[] body) {
    return answer(body, codec::error, request -> codec.filtered(request.nodes(), filter(request)));
  }

  /** Answers the prioritize verb; without preference after an error. */
  public byte[] prioritize(byte[] body) {
    return answer(body, _ -> codec.scores(Map.of()), request -> codec.scores(score(request)));
  }

  private byte[] answer(
      byte[] body, Function<String, byte[]> failure, Function<ExtenderRequest, byte[]> answer) {
    try {
      return answer.apply(codec.read(body));
    } catch (InputException e) {
      return failure.apply(String.valueOf(e.getMessage()));
    } catch (NotLeadingException e) {
      return failure.apply(String.valueOf(e.getMessage()));
    }
  }

  private Map<String, NodeVerdict> filter(ExtenderRequest request) {
    List<String> nodes = request.nodes().names();
    PodDocument pod = new PodDocument(request.pod());
    return switch (read(request.pod(), pod)) {
      case PodRequest.NoGpu _, PodRequest.OptedOut _, PodRequest.MigInstance _ ->
          all(nodes, new NodeVerdict.Fits(0));
      case PodRequest.Invalid(_, List<String> problems, _) ->
          all(nodes, new NodeVerdict.Hopeless(String.join("; ", problems)));
      case Colocatable colocatable -> {
        @Nullable String granted = grantedNode(pod);
        if (granted != null) {
          yield onlyOn(granted, nodes);
        }
        yield switch (request.nodes()) {
          case Full _ -> verdicts.on(capacity.withGrants(), colocatable, nodes);
          case Named _ when pod.uid() == null ->
              verdicts.on(capacity.withGrants(), colocatable, nodes);
          case Named _ -> assume(colocatable, String.valueOf(pod.uid()), nodes);
        };
      }
    };
  }

  private PodRequest read(JsonNode json, PodDocument pod) {
    return isOurs(pod) ? reader.read(json, "default") : new PodRequest.NoGpu();
  }

  private static boolean isOurs(PodDocument pod) {
    return pod.annotations().keySet().stream()
        .anyMatch(name -> name.startsWith(CotenantAnnotations.PREFIX));
  }

  private static @Nullable String grantedNode(PodDocument pod) {
    return pod.annotations().get(CotenantAnnotations.ASSIGNED_NODE);
  }

  /** Allocates capacity on the best node; without one, each node has its verdict. */
  private Map<String, NodeVerdict> assume(Colocatable pod, String uid, List<String> nodes) {
    Collection<String> wanted = new HashSet<>(nodes);
    CapacityLedger.Allocation allocation =
        capacity.allocate(
            new Claim(Claim.tokenOf(uid), pod), verdicts.among(wanted, pod, capacity.withGrants()));
    if (allocation.decision() instanceof Decision.Admitted admitted) {
      String node = admitted.grants().getFirst().node();
      storeChoice(uid, node);
      return Map.of(node, new NodeVerdict.Fits(NodeVerdicts.BEST_SCORE));
    }
    return verdicts.on(capacity.withGrants(), pod, nodes);
  }

  private void storeChoice(String uid, String node) {
    synchronized (chosen) {
      chosen.remove(uid);
      chosen.put(uid, node);
    }
  }

  private @Nullable String chosenNode(@Nullable String uid) {
    if (uid == null || capacity.state(Claim.tokenOf(uid)) == GrantState.RELEASED) {
      return null;
    }
    synchronized (chosen) {
      return chosen.get(uid);
    }
  }

  private Map<String, Integer> score(ExtenderRequest request) {
    List<String> nodes = request.nodes().names();
    PodDocument pod = new PodDocument(request.pod());
    Map<String, NodeVerdict> each =
        read(request.pod(), pod) instanceof Colocatable colocatable
            ? scored(colocatable, pod, nodes)
            : Map.of();
    Map<String, Integer> scores = new LinkedHashMap<>();
    for (String node : nodes) {
      scores.put(node, each.get(node) instanceof NodeVerdict.Fits(int score) ? score : 0);
    }
    return scores;
  }

  private Map<String, NodeVerdict> scored(
      Colocatable colocatable, PodDocument pod, List<String> nodes) {
    @Nullable String granted = grantedNode(pod);
    @Nullable String only = granted == null ? chosenNode(pod.uid()) : granted;
    return only == null
        ? verdicts.on(capacity.withGrants(), colocatable, nodes)
        : onlyOn(only, nodes);
  }

  private static Map<String, NodeVerdict> onlyOn(String granted, List<String> nodes) {
    NodeVerdict elsewhere =
        new NodeVerdict.Hopeless("the pod was granted capacity on node " + granted);
    Map<String, NodeVerdict> verdicts = all(nodes, elsewhere);
    verdicts.replace(granted, new NodeVerdict.Fits(NodeVerdicts.BEST_SCORE));
    return verdicts;
  }

  private static Map<String, NodeVerdict> all(List<String> nodes, NodeVerdict verdict) {
    Map<String, NodeVerdict> verdicts = new LinkedHashMap<>();
    nodes.forEach(node -> verdicts.put(node, verdict));
    return verdicts;
  }
}
