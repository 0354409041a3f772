/** Origin of a request: its peer, its Host, and the web page that sent it. */
@NullMarked
package dev.cotenant.service.origin;

import org.jspecify.annotations.NullMarked;
