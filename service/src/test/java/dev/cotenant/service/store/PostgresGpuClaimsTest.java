package dev.cotenant.service.store;

class PostgresGpuClaimsTest extends GpuClaimsContract {
  @Override
  protected DatabaseSettings settings() throws Exception {
    return TestDatabases.postgres();
  }
}
