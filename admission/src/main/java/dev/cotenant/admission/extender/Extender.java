package dev.cotenant.admission.extender;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.capacity.NotLeadingException;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodDocument;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.PodRequestReader;
import dev.cotenant.domain.InputException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The scheduler extender: bytes of arguments in, bytes of a result out, for any input.
 *
 * <p>{@code filter} passes the nodes on which a pod fits beside all bound pods, {@code prioritize}
 * prefers the node of its nomination, {@code bind} allocates capacity on the chosen node and binds
 * the pod in one write, {@code preempt} drops nodes on which the pod would still not fit. Only
 * {@code bind} changes anything. Pods that the scheduler places without Cotenant pass on every node
 * and are bound as they are.
 *
 * <p>Safe for use by many threads.
 */
public final class Extender {
  /** Nodes have about 10 KiB each in full. */
  public static final int MAX_BYTES = 64 << 20;

  private final ExtenderCodec codec = new ExtenderCodec();
  private final PodRequestReader reader = new PodRequestReader();
  private final NodePlacement placement;

  public Extender(NodePlacement placement) {
    this.placement = placement;
  }

  /** Answers the filter verb; errors are in its {@code Error}. */
  public byte[] filter(byte[] body) {
    return answer(
        codec::error,
        () -> {
          ExtenderRequest request = ExtenderRequest.of(codec.read(body));
          return codec.filtered(request.nodes(), results(request));
        });
  }

  /** Answers the prioritize verb; without preference after an error. */
  public byte[] prioritize(byte[] body) {
    return answer(
        _ -> codec.scores(Map.of()),
        () -> codec.scores(scores(ExtenderRequest.of(codec.read(body)))));
  }

  /** Answers the bind verb; errors are in its {@code Error}. */
  public byte[] bind(byte[] body) {
    return answer(
        codec::bindingError,
        () -> {
          BindingRequest request = BindingRequest.of(codec.read(body));
          return placement
              .bind(request.pod(), request.uid(), request.node())
              .map(codec::bindingError)
              .orElseGet(codec::bound);
        });
  }

  /** Answers the preempt verb; without nodes after an error. */
  public byte[] preempt(byte[] body) {
    return answer(
        _ -> codec.victims(Map.of()),
        () -> {
          PreemptionRequest request = PreemptionRequest.of(codec.read(body));
          Map<String, Set<String>> uids = new LinkedHashMap<>();
          request.victims().forEach((node, victims) -> uids.put(node, victims.uids()));
          Set<String> fits = placement.fitsWithout(request.uid(), uids);
          Map<String, PreemptionRequest.Victims> rest = new LinkedHashMap<>(request.victims());
          rest.keySet().retainAll(fits);
          return codec.victims(rest);
        });
  }

  private interface Verb {
    byte[] answer();
  }

  private static byte[] answer(Function<String, byte[]> failure, Verb verb) {
    try {
      return verb.answer();
    } catch (InputException e) {
      return failure.apply(String.valueOf(e.getMessage()));
    } catch (NotLeadingException e) {
      return failure.apply(String.valueOf(e.getMessage()));
    }
  }

  private Map<String, NodeResult> results(ExtenderRequest request) {
    List<String> nodes = request.nodes().names();
    PodDocument pod = new PodDocument(request.pod());
    return switch (read(request.pod(), pod)) {
      case PodRequest.NoGpu _, PodRequest.OptedOut _, PodRequest.MigInstance _ ->
          all(nodes, new NodeResult.Fits(0));
      case PodRequest.Invalid(_, List<String> problems, _) ->
          all(nodes, new NodeResult.Hopeless(String.join("; ", problems)));
      case Colocatable colocatable -> placement.results(pod, colocatable, nodes);
    };
  }

  /** The request of the pod; none where it is unreadable and not annotated for Cotenant. */
  private PodRequest read(JsonNode json, PodDocument pod) {
    PodRequest request = reader.read(json, "default");
    return request instanceof PodRequest.Invalid && !isAnnotated(pod)
        ? new PodRequest.NoGpu()
        : request;
  }

  static boolean isAnnotated(PodDocument pod) {
    return pod.annotations().keySet().stream()
        .anyMatch(name -> name.startsWith(CotenantAnnotations.PREFIX));
  }

  private Map<String, Integer> scores(ExtenderRequest request) {
    Map<String, NodeResult> results = new HashMap<>(results(request));
    Map<String, Integer> scores = new LinkedHashMap<>();
    for (String node : request.nodes().names()) {
      scores.put(node, results.get(node) instanceof NodeResult.Fits(int score) ? score : 0);
    }
    return scores;
  }

  static Map<String, NodeResult> all(Iterable<String> nodes, NodeResult result) {
    Map<String, NodeResult> results = new LinkedHashMap<>();
    nodes.forEach(node -> results.put(node, result));
    return results;
  }

  static Map<String, NodeResult> onlyOn(String granted, Iterable<String> nodes) {
    NodeResult elsewhere =
        new NodeResult.Hopeless("the pod was granted capacity on node " + granted);
    Map<String, NodeResult> results = all(nodes, elsewhere);
    results.replace(granted, new NodeResult.Fits(NodeResults.BEST_SCORE));
    return results;
  }
}
