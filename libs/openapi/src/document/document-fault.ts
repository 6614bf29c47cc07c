/** Why a whole document cannot be imported. The message is for the user. */
export class DocumentFault extends Error {}

/** Why one operation cannot be imported. */
export class Unusable extends Error {}
