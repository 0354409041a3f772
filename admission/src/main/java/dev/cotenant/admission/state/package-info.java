/** Leader state: documents that outlive a leader and are claimed by each new term. */
@NullMarked
package dev.cotenant.admission.state;

import org.jspecify.annotations.NullMarked;
