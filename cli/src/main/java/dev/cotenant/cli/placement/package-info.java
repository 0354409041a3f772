/** Training of placements that learn. */
@NullMarked
package dev.cotenant.cli.placement;

import org.jspecify.annotations.NullMarked;
