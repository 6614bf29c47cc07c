/** How far stored times may differ from the order in which writes become readable, in ms. */

/** A final write may become readable this long after the time that it stored. */
export const STORE_MARGIN_MS = 5_000;
/**
 * Events are stored after they happened, at the latest this long after: with the next effect of their play, or when
 * MongoDB is reachable again.
 */
export const EVENT_MARGIN_MS = 600_000;
/** A gateway remembers the position of an ended play for this long, which is longer than a poll reaches back. */
export const REMEMBER_MS = 60_000;
