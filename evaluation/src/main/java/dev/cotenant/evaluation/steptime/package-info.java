/** How wrong predicted step times are on rows, networks and devices that were not learned from. */
@NullMarked
package dev.cotenant.evaluation.steptime;

import org.jspecify.annotations.NullMarked;
