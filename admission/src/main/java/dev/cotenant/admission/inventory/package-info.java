/** The GPUs of the cluster, the grants on them, and the eligibility of nodes. */
@NullMarked
package dev.cotenant.admission.inventory;

import org.jspecify.annotations.NullMarked;
