package dev.cotenant.placement.glet;

/**
 * A service's turn in a gpu-let.
 *
 * @param tenant whose
 * @param batch 1 to {@link Tenant#MAX_BATCH}
 * @param perSecond served part of its rate
 */
record Assignment(Tenant tenant, int batch, double perSecond) {}
