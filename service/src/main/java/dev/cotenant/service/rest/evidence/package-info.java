/** Whether predictions hold and what sharing would do, by namespace. */
@NullMarked
package dev.cotenant.service.rest.evidence;

import org.jspecify.annotations.NullMarked;
