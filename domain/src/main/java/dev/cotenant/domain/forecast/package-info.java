/** Used-memory series and what estimators make of them. */
@NullMarked
package dev.cotenant.domain.forecast;

import org.jspecify.annotations.NullMarked;
