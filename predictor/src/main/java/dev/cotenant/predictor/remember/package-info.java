/** What a cluster has measured of a configuration, for when that comes again. */
@NullMarked
package dev.cotenant.predictor.remember;

import org.jspecify.annotations.NullMarked;
