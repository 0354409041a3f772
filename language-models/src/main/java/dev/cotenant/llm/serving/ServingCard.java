package dev.cotenant.llm.serving;

import dev.cotenant.domain.device.Device;

/**
 * The GPU that a server sees.
 *
 * @param name product or device id
 * @param totalBytes device memory as the driver shows it to the process: a MIG slice's or a limit's
 *     where there is one
 */
public record ServingCard(String name, double totalBytes) {
  /** What drivers show of the nominal memory: 79.19 GiB of 80 on an H100, 23.53 of 24. */
  private static final double VISIBLE = 0.9899;

  private static final double LARGE = 70.0 * (1L << 30);

  /** A whole card of the catalogue. */
  public static ServingCard of(Device device) {
    return new ServingCard(device.id().value(), device.memory().bytes() * VISIBLE);
  }

  /** Whether vLLM takes its larger defaults on it. */
  boolean isLarge() {
    return totalBytes >= LARGE && !name.startsWith("a100");
  }

  /** Whether the coefficients were measured on it. */
  public boolean isMeasured() {
    return name.equalsIgnoreCase("h100-80gb");
  }
}
