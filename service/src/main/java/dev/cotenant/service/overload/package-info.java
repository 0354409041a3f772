/** Load shedding: bounds on connections, time and memory of requests, over all listeners. */
@NullMarked
package dev.cotenant.service.overload;

import org.jspecify.annotations.NullMarked;
