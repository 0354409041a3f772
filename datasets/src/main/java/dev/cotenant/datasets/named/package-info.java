/** Measured runs of well-known models, whose graphs the zoo supplies. */
@NullMarked
package dev.cotenant.datasets.named;

import org.jspecify.annotations.NullMarked;
