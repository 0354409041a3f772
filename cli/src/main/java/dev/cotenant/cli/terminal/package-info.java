/** What commands print, and how errors read. */
@NullMarked
package dev.cotenant.cli.terminal;

import org.jspecify.annotations.NullMarked;
