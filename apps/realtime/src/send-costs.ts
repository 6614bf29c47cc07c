/** A message takes time besides its bytes: about as much as this many bytes. */
export const MESSAGE_COST_BYTES = 1_024;
/** Checking a message that the reader does not want or may not see takes about as much as this many bytes. */
export const FILTER_COST_BYTES = 64;
