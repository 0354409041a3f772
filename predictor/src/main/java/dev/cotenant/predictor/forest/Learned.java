package dev.cotenant.predictor.forest;

import dev.cotenant.domain.quantity.MemorySize;

/** What every version of the model file says of what it was learned from. */
public interface Learned {
  /** Where the training rows lie, on the devices of the provenance. */
  TrainingRanges ranges();

  /** What a run needs however small its model is: driver context, libraries. */
  MemorySize contextMemory();

  /** Where it comes from. */
  Provenance provenance();
}
