/** The published sets that the importers were written for. */
@NullMarked
package dev.cotenant.datasets.manifest;

import org.jspecify.annotations.NullMarked;
