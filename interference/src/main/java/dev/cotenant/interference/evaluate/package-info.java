/** How wrong the models are on measured colocations. */
@NullMarked
package dev.cotenant.interference.evaluate;

import org.jspecify.annotations.NullMarked;
