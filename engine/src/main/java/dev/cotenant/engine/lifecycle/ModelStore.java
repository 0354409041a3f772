package dev.cotenant.engine.lifecycle;

import dev.cotenant.engine.profile.ProfileStore;

/** Port: everything of the life cycle that outlives a process and is shared by replicas. */
public interface ModelStore {
  VersionStore versions();

  ProfileStore profiles();

  TrainingStore trainings();

  RegisteredModelStore models();
}
