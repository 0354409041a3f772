/** Importers of published colocation measurements. */
@NullMarked
package dev.cotenant.datasets.colocation;

import org.jspecify.annotations.NullMarked;
