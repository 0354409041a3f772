/** InSS: placements that are proposed, and the batches that make them hold. */
@NullMarked
package dev.cotenant.placement.inss;

import org.jspecify.annotations.NullMarked;
