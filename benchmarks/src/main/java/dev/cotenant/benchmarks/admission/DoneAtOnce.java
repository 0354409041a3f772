package dev.cotenant.benchmarks.admission;

import dev.cotenant.admission.cluster.ClusterWriter;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.review.JsonPatch;
import java.util.function.Consumer;

/** An API server on which every write succeeds at once. */
class DoneAtOnce implements ClusterWriter {
  @Override
  public void patch(WatchedPod pod, JsonPatch patch, Consumer<WriteResult> done) {
    done.accept(new WriteResult.Done());
  }

  @Override
  public void bind(Binding binding, Consumer<WriteResult> done) {
    done.accept(new WriteResult.Done());
  }

  @Override
  public void read(PodIdentity pod, String uid, Consumer<PodLookupResult> done) {
    done.accept(new PodLookupResult.Unknown("not read here"));
  }

  @Override
  public void delete(WatchedPod pod, Consumer<WriteResult> done) {
    done.accept(new WriteResult.Done());
  }

  @Override
  public void report(WatchedPod pod, PodEvent event) {}
}
