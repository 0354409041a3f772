package dev.cotenant.admission.kubernetes.watch;

import dev.cotenant.admission.cluster.ClusterPod;
import dev.cotenant.admission.cluster.PlainPod;
import dev.cotenant.admission.cluster.WatchedPod;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Separates GPU pods from plain pods; an update may change the kind of a pod. */
final class PodSink implements ObjectSink<ClusterPod> {
  private final ObjectSink<WatchedPod> watched;
  private final ObjectSink<PlainPod> plain;

  PodSink(ObjectSink<WatchedPod> watched, ObjectSink<PlainPod> plain) {
    this.watched = watched;
    this.plain = plain;
  }

  @Override
  public void listed(Map<String, ClusterPod> all, Set<String> unreadable) {
    Map<String, WatchedPod> gpuPods = new HashMap<>();
    Map<String, PlainPod> others = new HashMap<>();
    all.forEach((key, pod) -> {
      switch (pod) {
        case WatchedPod gpuPod -> gpuPods.put(key, gpuPod);
        case PlainPod other -> others.put(key, other);
      }
    });
    gpuPods.keySet().forEach(plain::removed);
    others.keySet().forEach(watched::removed);
    plain.listed(others, unreadable);
    watched.listed(gpuPods, unreadable);
  }

  @Override
  public void changed(String key, ClusterPod pod) {
    switch (pod) {
      case WatchedPod gpuPod -> {
        plain.removed(key);
        watched.changed(key, gpuPod);
      }
      case PlainPod other -> {
        watched.removed(key);
        plain.changed(key, other);
      }
    }
  }

  @Override
  public void removed(String key) {
    plain.removed(key);
    watched.removed(key);
  }
}
