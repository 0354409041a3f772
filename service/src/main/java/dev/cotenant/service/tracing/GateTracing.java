package dev.cotenant.service.tracing;

import dev.cotenant.admission.cluster.ClusterWriter;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.domain.decision.Decision;

/** Goes on with the traces of gated pods' reviews. Called on the controller's thread. */
public interface GateTracing {
  /** No traces. */
  GateTracing OFF =
      new GateTracing() {
        @Override
        public void deciding(WatchedPod pod, Runnable work) {
          work.run();
        }

        @Override
        public void decided(WatchedPod pod, Decision decision) {}

        @Override
        public void cycled() {}

        @Override
        public ClusterWriter writing(ClusterWriter writer) {
          return writer;
        }
      };

  /** Runs a decision, with a span if it ungates the pod or its result is new. */
  void deciding(WatchedPod pod, Runnable work);

  /** The result on a pod that stays gated is new. */
  void decided(WatchedPod pod, Decision decision);

  /** A scheduling cycle is over. */
  void cycled();

  /** The writer; its patches and bindings of pods are spans too. */
  ClusterWriter writing(ClusterWriter writer);
}
