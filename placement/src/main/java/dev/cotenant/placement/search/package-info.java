/** Plans of fewest GPUs, by search and column generation. */
@NullMarked
package dev.cotenant.placement.search;

import org.jspecify.annotations.NullMarked;
