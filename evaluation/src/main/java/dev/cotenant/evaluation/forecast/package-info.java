/** How wrong forecasters are on series that they were not trained on. */
@NullMarked
package dev.cotenant.evaluation.forecast;

import org.jspecify.annotations.NullMarked;
