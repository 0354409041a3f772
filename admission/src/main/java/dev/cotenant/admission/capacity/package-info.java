/**
 * Capacity on the one ledger of a cluster, for whoever asks by other ways than by creating pods.
 */
@NullMarked
package dev.cotenant.admission.capacity;

import org.jspecify.annotations.NullMarked;
