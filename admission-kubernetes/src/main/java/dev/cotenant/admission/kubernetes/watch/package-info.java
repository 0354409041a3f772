/** Lists and watches of the cluster during a leader's term. */
@NullMarked
package dev.cotenant.admission.kubernetes.watch;

import org.jspecify.annotations.NullMarked;
