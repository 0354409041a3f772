/** Leader state in ConfigMaps. */
@NullMarked
package dev.cotenant.admission.kubernetes.state;

import org.jspecify.annotations.NullMarked;
