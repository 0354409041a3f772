package dev.cotenant.service.history;

import com.fasterxml.jackson.annotation.JsonValue;

/** Use of a GPU. */
public enum GpuState {
  SHARED("shared", Figure.SHARED_GPUS),
  SINGLE("one tenant", Figure.SINGLE_GPUS),
  WHOLE("whole", Figure.WHOLE_GPUS),
  MIG("split by MIG", Figure.MIG_GPUS),
  FOREIGN("used by others", Figure.FOREIGN_GPUS),
  FREE("free", Figure.FREE_GPUS),
  /** Not used, on a node that takes no pods. */
  UNSCHEDULABLE("not schedulable", Figure.UNSCHEDULABLE_GPUS),
  UNMEASURED("without metrics", Figure.UNMEASURED_GPUS);

  private final String words;
  private final Figure figure;

  GpuState(String words, Figure figure) {
    this.words = words;
    this.figure = figure;
  }

  /** The total that counts GPUs in this state. */
  public Figure figure() {
    return figure;
  }

  @JsonValue
  @Override
  public String toString() {
    return words;
  }
}
