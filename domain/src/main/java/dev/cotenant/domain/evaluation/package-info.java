/** Errors of any kind of model on held-out data. */
@NullMarked
package dev.cotenant.domain.evaluation;

import org.jspecify.annotations.NullMarked;
