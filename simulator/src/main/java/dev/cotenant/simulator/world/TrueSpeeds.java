package dev.cotenant.simulator.world;

/** A {@link SpeedModel} that only this package can read: settings of a world reach policies. */
public final class TrueSpeeds {
  private final SpeedModel model;

  TrueSpeeds(SpeedModel model) {
    this.model = model;
  }

  SpeedModel model() {
    return model;
  }

  @Override
  public String toString() {
    return "TrueSpeeds";
  }
}
