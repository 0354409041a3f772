package dev.cotenant.engine.lifecycle;

import dev.cotenant.engine.profile.ProfileStore;

/** Port: everything of the life cycle that outlives a process and is shared by replicas. */
public interface ModelStore {
  /** Those of the predictor. */
  VersionStore versions();

  /** Those of the forecast of used memory. */
  VersionStore forecasts();

  ProfileStore profiles();

  TrainingStore trainings();

  RegisteredModelStore models();
}
