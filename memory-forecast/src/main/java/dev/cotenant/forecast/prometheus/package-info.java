/** Used memory of a whole cluster from anything that speaks the Prometheus HTTP API. */
@NullMarked
package dev.cotenant.forecast.prometheus;

import org.jspecify.annotations.NullMarked;
