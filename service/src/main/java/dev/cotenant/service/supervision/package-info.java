/** Probes, metrics and logs of background loops. */
@NullMarked
package dev.cotenant.service.supervision;

import org.jspecify.annotations.NullMarked;
