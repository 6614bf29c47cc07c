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
  terminated: 143,
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

/** What a signal ends a command with; `message` and `hint` when there is more to say. */
export function interruption({ reason }: AbortSignal, message = '', hint = ''): Exit {
  return new Exit(reason instanceof Exit ? reason.code : EXIT.interrupted, message, hint);
}
