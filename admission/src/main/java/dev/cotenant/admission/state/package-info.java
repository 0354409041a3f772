/**
 * What has to outlive a leader and is no pod's: kept on documents that each new term takes over.
 */
@NullMarked
package dev.cotenant.admission.state;

import org.jspecify.annotations.NullMarked;
