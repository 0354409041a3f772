package dev.cotenant.forecast;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Requests about the paper's 32 GB card, one step after the newest sample. */
final class Requests {
  static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  static final MemorySize CARD = MemorySize.ofGiB(32);

  private Requests() {}

  /** One sample a second. */
  static MemorySeries everySecond(MemorySize... used) {
    List<MemorySample> samples = new ArrayList<>();
    for (MemorySize size : used) {
      samples.add(new MemorySample(START.plusSeconds(samples.size()), size));
    }
    return new MemorySeries(samples);
  }

  static MemorySeries everySecondGiB(long... used) {
    MemorySize[] sizes = new MemorySize[used.length];
    for (int i = 0; i < used.length; i++) {
      sizes[i] = MemorySize.ofGiB(used[i]);
    }
    return everySecond(sizes);
  }

  static ForecastRequest about(MemorySeries series, MemorySize... granted) {
    return new ForecastRequest(
        series, CARD, List.of(granted), START.plusSeconds(series.samples().size()));
  }

  static ForecastRequest aboutGiB(long... used) {
    return about(everySecondGiB(used));
  }

  static MemoryForecast.Applies applies(MemoryForecast forecast) {
    return (MemoryForecast.Applies) forecast.result();
  }

  static String passReason(MemoryForecast forecast) {
    return ((MemoryForecast.Abstained) forecast.result()).reason();
  }

  /** Any series at all: flat, noisy, ramping, stepping, with gaps and values above the card. */
  static ForecastRequest random(RandomGenerator random) {
    int count = random.nextInt(12);
    long level = random.nextLong(CARD.bytes() + (4L << 30));
    List<MemorySample> samples = new ArrayList<>();
    Instant at = START;
    for (int i = 0; i < count; i++) {
      at = at.plusSeconds(random.nextInt(10) == 0 ? 90 : 15).plusMillis(random.nextInt(500));
      level =
          switch (random.nextInt(4)) {
            case 0 -> random.nextLong(CARD.bytes() + (4L << 30));
            case 1 -> level / 2;
            default -> level;
          };
      samples.add(new MemorySample(at, MemorySize.ofBytes(level)));
    }
    List<MemorySize> granted = new ArrayList<>();
    while (random.nextInt(3) > 0) {
      granted.add(MemorySize.ofBytes(random.nextLong(CARD.bytes())));
    }
    return new ForecastRequest(
        new MemorySeries(samples), CARD, granted, at.plusSeconds(random.nextInt(60) - 5));
  }
}
