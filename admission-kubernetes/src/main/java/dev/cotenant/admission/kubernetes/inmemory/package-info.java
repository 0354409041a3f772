/** Objects of an API server in memory, for the demo and for tests. */
@NullMarked
package dev.cotenant.admission.kubernetes.inmemory;

import org.jspecify.annotations.NullMarked;
