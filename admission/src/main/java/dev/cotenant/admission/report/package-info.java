/** Status reports about held pods: Events and annotations. */
@NullMarked
package dev.cotenant.admission.report;

import org.jspecify.annotations.NullMarked;
