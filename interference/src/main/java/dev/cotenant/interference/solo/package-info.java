/** How long a batch takes alone, as a surface over batch and share. */
@NullMarked
package dev.cotenant.interference.solo;

import org.jspecify.annotations.NullMarked;
