package dev.cotenant.lab.recording;

import dev.cotenant.lab.pairs.PairWorld;
import dev.cotenant.simulator.replay.SpeedTruth;
import dev.cotenant.simulator.world.Phase;
import dev.cotenant.simulator.world.SpeedModel;
import java.util.List;

/** Speeds of measured pairs without an error, at most 1; other pairs do not share. */
record MeasuredSpeeds(PairWorld pairs) implements SpeedTruth {
  @Override
  public SpeedModel draw(int draw) {
    return (own, others, device) -> {
      double speed = 1;
      for (Phase.Load other : others) {
        speed *= Math.min(1, pairs.speed(own, List.of(other), device));
      }
      return speed;
    };
  }

  @Override
  public boolean mayShare(String one, String other) {
    return pairs.wereMeasured(one, other);
  }

  @Override
  public boolean isUncertain() {
    return false;
  }

  @Override
  public String text() {
    return "measured in pairs; pairs that were not measured share under no policy, and of more than"
        + " two the speeds multiply";
  }
}
