/** The patches and annotations that webhook and gate controller write onto pods. */
@NullMarked
package dev.cotenant.admission.patch;

import org.jspecify.annotations.NullMarked;
