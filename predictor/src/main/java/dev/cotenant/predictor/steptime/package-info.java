/** Wall time of a step, from the amounts of a run and the catalogue numbers of a device. */
@NullMarked
package dev.cotenant.predictor.steptime;

import org.jspecify.annotations.NullMarked;
