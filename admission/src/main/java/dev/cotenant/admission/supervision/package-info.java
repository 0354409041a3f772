/** Background loops: started in one place, watched by one thread, restarted or fatal. */
@NullMarked
package dev.cotenant.admission.supervision;

import org.jspecify.annotations.NullMarked;
