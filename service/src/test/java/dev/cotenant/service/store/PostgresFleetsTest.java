package dev.cotenant.service.store;

import org.jspecify.annotations.Nullable;

class PostgresFleetsTest extends FleetsContract {
  private @Nullable DatabaseSettings settings;

  @Override
  protected DatabaseSettings settings() throws Exception {
    DatabaseSettings now = settings == null ? TestDatabases.postgres() : settings;
    settings = now;
    return now;
  }
}
