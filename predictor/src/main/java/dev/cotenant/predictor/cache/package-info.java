/** The measured-run cache: a configuration that ran before is answered with its measurements. */
@NullMarked
package dev.cotenant.predictor.cache;

import org.jspecify.annotations.NullMarked;
