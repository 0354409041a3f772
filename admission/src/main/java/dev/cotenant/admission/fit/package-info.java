/** The fit of pods to nodes beside GPUs, as kube-scheduler's filters decide it. */
@NullMarked
package dev.cotenant.admission.fit;

import org.jspecify.annotations.NullMarked;
