/** The scheduler extender: which nodes a pod fits on, and how well, for kube-scheduler. */
@NullMarked
package dev.cotenant.admission.extender;

import org.jspecify.annotations.NullMarked;
