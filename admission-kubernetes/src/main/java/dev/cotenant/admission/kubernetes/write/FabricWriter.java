package dev.cotenant.admission.kubernetes.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.cluster.ClusterWriter;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.kubernetes.api.ApiCall;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.kubernetes.api.LoopContext;
import dev.cotenant.admission.kubernetes.api.RequestQueue;
import dev.cotenant.admission.kubernetes.api.RequestQueue.Result;
import dev.cotenant.admission.kubernetes.read.PodLookup;
import dev.cotenant.admission.kubernetes.write.WriteListener.Kind;
import dev.cotenant.admission.kubernetes.write.WriteListener.Outcome;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.review.JsonPatch;
import java.time.InstantSource;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Writes to the API server asynchronously.
 *
 * <p>Nothing is sent without leadership. A write with a lost answer is not repeated: the controller
 * reads the pod first. Events have their own queue, so they do not delay grants.
 */
public final class FabricWriter implements ClusterWriter {
  private static final String CORE = "/api/v1";
  private static final RequestQueue.Limits WRITES = new RequestQueue.Limits(32, 100_000);
  private static final RequestQueue.Limits EVENTS = new RequestQueue.Limits(8, 2_000);

  private final RequestQueue writes;
  private final RequestQueue events;
  private final EventBody eventBody;
  private final WriteListener listener;

  /**
   * @param cluster the API server
   * @param mayWrite whether this process leads now
   * @param identity of this process, for Events
   * @param listener receives the outcomes
   */
  public FabricWriter(
      LoopContext cluster, BooleanSupplier mayWrite, String identity, WriteListener listener) {
    writes = new RequestQueue(cluster, WRITES, mayWrite);
    events = new RequestQueue(cluster, EVENTS, mayWrite);
    eventBody = new EventBody(identity, InstantSource.system());
    this.listener = listener;
  }

  @Override
  public void patch(WatchedPod pod, JsonPatch patch, Consumer<WriteResult> done) {
    ApiCall call = ApiCall.patch(path(pod.pod()), patch);
    writes.send(call, result -> finish(Kind.PATCH, result, WriteResults::ofPatch, done));
  }

  @Override
  public void bind(Binding binding, Consumer<WriteResult> done) {
    ObjectNode metadata = Json.object().put("name", name(binding.pod())).put("uid", binding.uid());
    if (binding.resourceVersion() != null) {
      metadata.put("resourceVersion", binding.resourceVersion());
    }
    ObjectNode annotations = metadata.putObject("annotations");
    binding.annotations().forEach(annotations::put);
    ObjectNode body = Json.object().put("apiVersion", "v1").put("kind", "Binding");
    body.set("metadata", metadata);
    body.putObject("target")
        .put("apiVersion", "v1")
        .put("kind", "Node")
        .put("name", binding.node());
    ApiCall call = ApiCall.post(path(binding.pod()) + "/binding", body);
    writes.send(call, result -> finish(Kind.BIND, result, WriteResults::of, done));
  }

  @Override
  public void read(PodIdentity pod, String uid, Consumer<PodLookupResult> done) {
    ApiCall call = PodLookup.call(pod.namespace(), name(pod));
    writes.send(call, result -> done.accept(PodLookup.result(uid, result)));
  }

  @Override
  public void delete(WatchedPod pod, Consumer<WriteResult> done) {
    ApiCall call = ApiCall.delete(path(pod.pod()), pod.uid());
    writes.send(call, result -> finish(Kind.DELETE, result, WriteResults::ofDelete, done));
  }

  @Override
  public void evict(WatchedPod pod, Consumer<EvictionResult> done) {
    ObjectNode body = Json.object().put("apiVersion", "policy/v1").put("kind", "Eviction");
    body.putObject("metadata").put("name", name(pod.pod())).put("namespace", pod.pod().namespace());
    body.putObject("deleteOptions").putObject("preconditions").put("uid", pod.uid());
    ApiCall call = ApiCall.post(path(pod.pod()) + "/eviction", body);
    writes.send(
        call,
        result ->
            finish(
                Kind.EVICT,
                result,
                WriteResults::ofDelete,
                written -> done.accept(WriteResults.ofEviction(result, written))));
  }

  @Override
  public void claim(WatchedPod pod, String name, DeviceClaim wanted, Consumer<WriteResult> done) {
    new ClaimWriting(
            writes,
            new ClaimWriting.Wanted(pod, name, wanted),
            (result, written) -> finish(Kind.CLAIM, result, _ -> written, done))
        .begin();
  }

  @Override
  public void report(WatchedPod pod, PodEvent event) {
    String path = ApiCall.namespaced(CORE, pod.pod().namespace(), "events");
    events.send(
        ApiCall.post(path, eventBody.of(pod, event)),
        result -> finish(Kind.EVENT, result, WriteResults::of, _ -> {}));
  }

  private void finish(
      Kind kind, Result result, Function<Result, WriteResult> meaning, Consumer<WriteResult> done) {
    WriteResult written = meaning.apply(result);
    listener.written(kind, result instanceof Result.NotSent ? Outcome.DROPPED : outcome(written));
    done.accept(written);
  }

  private static Outcome outcome(WriteResult written) {
    return switch (written) {
      case WriteResult.Done _ -> Outcome.DONE;
      case WriteResult.Conflict _ -> Outcome.CONFLICT;
      case WriteResult.Gone _ -> Outcome.GONE;
      case WriteResult.Unknown _ -> Outcome.UNKNOWN;
      case WriteResult.Refused _ -> Outcome.REFUSED;
    };
  }

  private static String path(PodIdentity pod) {
    return ApiCall.namespaced(CORE, pod.namespace(), "pods", name(pod));
  }

  private static String name(PodIdentity pod) {
    return Objects.requireNonNull(pod.name(), "a watched pod has a name");
  }
}
