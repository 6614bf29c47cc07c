/** What a script can decide by: docs/cli.md. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notSignedIn: 4,
  playFailed: 10,
  goesOn: 11,
  waitsForPerson: 12,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the command with a message for people, and a code for scripts. */
export class Exit extends Error {
  constructor(
    readonly code: ExitCode,
    message = '',
    /** What to do next. */
    readonly hint = '',
  ) {
    super(message);
  }
}
