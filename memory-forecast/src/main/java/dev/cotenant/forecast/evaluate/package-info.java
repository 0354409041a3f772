/** How wrong forecasters are on series that they were not trained on. */
@NullMarked
package dev.cotenant.forecast.evaluate;

import org.jspecify.annotations.NullMarked;
