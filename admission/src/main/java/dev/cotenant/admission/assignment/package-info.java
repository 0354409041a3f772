/** How a pod gets onto the GPU that it was granted. */
@NullMarked
package dev.cotenant.admission.assignment;

import org.jspecify.annotations.NullMarked;
