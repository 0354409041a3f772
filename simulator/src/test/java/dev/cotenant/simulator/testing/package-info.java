/** What tests of several packages share. */
@NullMarked
package dev.cotenant.simulator.testing;

import org.jspecify.annotations.NullMarked;
