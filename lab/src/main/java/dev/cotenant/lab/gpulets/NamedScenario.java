package dev.cotenant.lab.gpulets;

import java.util.List;

/** The scenarios that the paper looks into [gpu-lets, table 5]. */
public enum NamedScenario {
  EQUAL("equal"),
  LONG_ONLY("long-only"),
  SHORT_SKEW("short-skew");

  private final String key;

  NamedScenario(String key) {
    this.key = key;
  }

  /** Name in tables. */
  public String key() {
    return key;
  }

  /** Requests a second of each model of {@link PaperModel}, times a scale. */
  public List<Double> rates(double scale) {
    List<Double> rates =
        switch (this) {
          case EQUAL -> List.of(50.0, 50.0, 50.0, 50.0, 50.0);
          case LONG_ONLY -> List.of(0.0, 0.0, 100.0, 100.0, 100.0);
          case SHORT_SKEW -> List.of(100.0, 100.0, 100.0, 50.0, 50.0);
        };
    return rates.stream().map(rate -> scale * rate).toList();
  }
}
