/** How wrong the models are on measured colocations. */
@NullMarked
package dev.cotenant.evaluation.interference;

import org.jspecify.annotations.NullMarked;
