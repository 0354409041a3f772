package dev.cotenant.service.store;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.engine.lifecycle.ModelStore;
import dev.cotenant.engine.lifecycle.RegisteredModelStore;
import dev.cotenant.engine.lifecycle.TrainingStore;
import dev.cotenant.engine.lifecycle.VersionStore;
import dev.cotenant.engine.profile.ProfileStore;
import java.util.function.Supplier;

/** The life cycle's store in a database. Thread safe. */
public final class SqlModelStore implements ModelStore {
  private final VersionStore versions;
  private final VersionStore forecasts;
  private final ProfileStore profiles;
  private final TrainingStore trainings;
  private final RegisteredModelStore models;

  /**
   * @param devices those that rows may name, at present
   */
  public SqlModelStore(Database database, Supplier<DeviceCatalogue> devices) {
    versions = new SqlVersions(database, "model_version", "promotion");
    forecasts = new SqlVersions(database, "forecast_version", "forecast_promotion");
    profiles = new SqlProfiles(database, devices);
    trainings = new SqlTrainings(database);
    models = new SqlRegisteredModels(database);
  }

  @Override
  public VersionStore versions() {
    return versions;
  }

  @Override
  public VersionStore forecasts() {
    return forecasts;
  }

  @Override
  public ProfileStore profiles() {
    return profiles;
  }

  @Override
  public TrainingStore trainings() {
    return trainings;
  }

  @Override
  public RegisteredModelStore models() {
    return models;
  }
}
