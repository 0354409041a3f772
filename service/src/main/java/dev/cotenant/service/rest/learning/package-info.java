/** REST: Profile rows, trainings and predictors. */
@NullMarked
package dev.cotenant.service.rest.learning;

import org.jspecify.annotations.NullMarked;
