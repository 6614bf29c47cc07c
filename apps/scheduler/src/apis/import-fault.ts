/** Why a document cannot be imported, for the person who asked for it: what is wrong, and what to do. */
export class ImportFault extends Error {}
