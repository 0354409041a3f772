/**
 * Used-memory series of a device to a forecast: the published ResAware chain and the baselines that
 * every better forecaster is measured against.
 */
@NullMarked
package dev.cotenant.forecast;

import org.jspecify.annotations.NullMarked;
