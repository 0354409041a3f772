/** The registry of importers. */
@NullMarked
package dev.cotenant.datasets;

import org.jspecify.annotations.NullMarked;
