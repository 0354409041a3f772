/**
 * The state of a term. All changes are named methods; {@link
 * dev.cotenant.admission.gate.state.Term#brokenInvariants} lists what always holds.
 */
@NullMarked
package dev.cotenant.admission.gate.state;

import org.jspecify.annotations.NullMarked;
