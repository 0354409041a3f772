/** What probes, metrics and logs say of background loops. */
@NullMarked
package dev.cotenant.service.supervision;

import org.jspecify.annotations.NullMarked;
