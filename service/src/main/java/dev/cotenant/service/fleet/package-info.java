/** The loop that decides about watched fleets. */
@NullMarked
package dev.cotenant.service.fleet;

import org.jspecify.annotations.NullMarked;
