/** The {@code cotenant} command. */
@NullMarked
package dev.cotenant.cli;

import org.jspecify.annotations.NullMarked;
