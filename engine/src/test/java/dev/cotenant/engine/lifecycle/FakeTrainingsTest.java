package dev.cotenant.engine.lifecycle;

import dev.cotenant.engine.testing.FakeModelStore;
import dev.cotenant.engine.testing.TrainingStoreContract;

class FakeTrainingsTest extends TrainingStoreContract {
  private final FakeModelStore store = new FakeModelStore();

  @Override
  protected TrainingStore trainings() {
    return store.trainings();
  }
}
