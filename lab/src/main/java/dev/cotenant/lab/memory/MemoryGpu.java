package dev.cotenant.lab.memory;

import java.util.ArrayList;
import java.util.List;

/** A GPU and everybody who was ever on it. */
final class MemoryGpu {
  private final String uuid;
  private final int opened;
  private final List<Resident> residents = new ArrayList<>();

  /** A pod that came at a step. */
  record Resident(RecordedPod pod, int arrived) {
    boolean isThere(int step) {
      return step >= arrived && step < end();
    }

    /** First step after its departure. */
    int end() {
      return arrived + pod.steps();
    }

    long usedBytes(int step) {
      return pod.usedBytes(step - arrived);
    }
  }

  MemoryGpu(String uuid, int opened) {
    this.uuid = uuid;
    this.opened = opened;
  }

  String uuid() {
    return uuid;
  }

  /** The step at which it was first used. */
  int opened() {
    return opened;
  }

  void add(RecordedPod pod, int step) {
    residents.add(new Resident(pod, step));
  }

  List<Resident> residents() {
    return residents;
  }

  /** Residents at a step, oldest first. */
  List<Resident> at(int step) {
    return residents.stream().filter(resident -> resident.isThere(step)).toList();
  }

  long usedBytes(int step) {
    long used = 0;
    for (Resident resident : residents) {
      used += resident.usedBytes(step);
    }
    return used;
  }

  /** The most that would be used from a step on if the pod came now. */
  long peakWith(RecordedPod pod, int step) {
    long most = 0;
    for (int i = 0; i < pod.steps(); i++) {
      most = Math.max(most, usedBytes(step + i) + pod.usedBytes(i));
    }
    return most;
  }
}
