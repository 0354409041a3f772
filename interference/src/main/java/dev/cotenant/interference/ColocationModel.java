package dev.cotenant.interference;

import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;

/**
 * Predicts how much workloads that share a whole GPU, without partitions, slow each other down.
 *
 * <p>Implementations are pure and monotone: a larger sum never gives a smaller slowdown.
 */
public interface ColocationModel {
  /**
   * The slowdown of the tenant that suffers most.
   *
   * @param summedUtilization the solo utilizations of all tenants, at least two
   */
  Slowdown slowdown(SummedUtilization summedUtilization);
}
