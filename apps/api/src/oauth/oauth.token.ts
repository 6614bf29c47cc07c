/** The `OAuth` (@weft/identity) of this process. */
export const OAUTH = Symbol('OAUTH');
