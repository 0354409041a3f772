/** Measured runs, the rows that predictors learn from. */
@NullMarked
package dev.cotenant.domain.profile;

import org.jspecify.annotations.NullMarked;
