/** The risk that jobs on one GPU slow each other beyond a limit, learned from measured speeds. */
@NullMarked
package dev.cotenant.interference.risk;

import org.jspecify.annotations.NullMarked;
