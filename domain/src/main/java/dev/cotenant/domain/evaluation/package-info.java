/** How wrong models are on what they have not seen, whatever they are models of. */
@NullMarked
package dev.cotenant.domain.evaluation;

import org.jspecify.annotations.NullMarked;
