/** Whether predictions hold and what sharing would do, by namespace. */
@NullMarked
package dev.cotenant.service.evidence;

import org.jspecify.annotations.NullMarked;
