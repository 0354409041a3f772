package dev.cotenant.engine.lifecycle;

import dev.cotenant.engine.testing.FakeModelStore;
import dev.cotenant.engine.testing.ModelStoreContract;

class FakeModelStoreTest extends ModelStoreContract {
  private final FakeModelStore store = new FakeModelStore();

  @Override
  protected ModelStore store() {
    return store;
  }
}
