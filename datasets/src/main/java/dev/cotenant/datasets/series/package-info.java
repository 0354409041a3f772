/** Importers of recorded used-memory series. */
@NullMarked
package dev.cotenant.datasets.series;

import org.jspecify.annotations.NullMarked;
