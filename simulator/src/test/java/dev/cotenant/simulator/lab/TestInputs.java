package dev.cotenant.simulator.lab;

import dev.cotenant.datasets.colocation.LucidPairsSource;
import dev.cotenant.datasets.named.PairedJobs;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.simulator.pairs.PairSets;
import dev.cotenant.simulator.pairs.PairWorld;

/** Inputs of presets from the outside data of tests. */
final class TestInputs implements Presets.Inputs {
  private final SharingDecider decider = new SharingDecider(FallbackInterferenceModel.builtIn());

  @Override
  public PairWorld pairs(String format) {
    return new PairWorld(
        new PairSets(DeviceCatalogue.builtIn(), Predictor.builtIn())
            .ofShipped(
                new LucidPairsSource(OutsideData.require("data/lucid")).read(),
                PairedJobs.ofLucid())
            .getFirst());
  }

  @Override
  public SharingDecider decider() {
    return decider;
  }
}
