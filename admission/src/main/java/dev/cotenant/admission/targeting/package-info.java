/** How a pod gets onto the GPU that it was granted. */
@NullMarked
package dev.cotenant.admission.targeting;

import org.jspecify.annotations.NullMarked;
