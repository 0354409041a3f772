/** Which GPU a workload may have, and why not the others. */
@NullMarked
package dev.cotenant.placement;

import org.jspecify.annotations.NullMarked;
