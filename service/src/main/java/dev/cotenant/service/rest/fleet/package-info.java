/** Fleets that are watched. */
@NullMarked
package dev.cotenant.service.rest.fleet;

import org.jspecify.annotations.NullMarked;
