package dev.cotenant.forecast;

import java.util.ArrayList;
import java.util.List;

/** The forecasters that are shown side by side, each name once. */
public final class ForecasterCatalogue {
  /** The margin over the window maximum that ties a tuned bound on the Alibaba GenAI trace. */
  private static final double MARGIN = 1.1;

  private ForecasterCatalogue() {}

  /** The bound, the ResAware stages in their order, then baselines over the chain's window. */
  public static List<MemoryForecaster> all(MemoryForecaster bound, ResAwareSettings settings) {
    List<MemoryForecaster> all = new ArrayList<>();
    all.add(bound);
    all.addAll(new ResAwareChain(settings).stages());
    all.add(WindowEstimate.persistence(settings.horizon()));
    all.addAll(WindowEstimate.all(settings.windowSamples(), settings.horizon()));
    all.add(WindowEstimate.maximum(1, settings.windowSamples(), settings.horizon()));
    all.add(WindowEstimate.maximum(MARGIN, settings.windowSamples(), settings.horizon()));
    return List.copyOf(all);
  }
}
