/** Milliseconds by which times are not taken at their word. */

/** A final write may become readable that long after the time that it stored. */
export const STORE_MARGIN_MS = 5_000;
/** Events are stored after they happened: with the next effect of their play, or when MongoDB is back. */
export const EVENT_MARGIN_MS = 600_000;
/** A gateway remembers how far an ended play is for that long: longer than a look at young plays reaches back. */
export const REMEMBER_MS = 60_000;
