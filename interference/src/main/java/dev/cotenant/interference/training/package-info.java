/** Training jobs that share a whole GPU. */
@NullMarked
package dev.cotenant.interference.training;

import org.jspecify.annotations.NullMarked;
