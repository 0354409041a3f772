/** The device catalogue of the service and its file. */
@NullMarked
package dev.cotenant.service.devices;

import org.jspecify.annotations.NullMarked;
