/** A limit that was exceeded in this process; the message names it. */
export class LimitExceeded extends Error {}

/** The text or its data is wrong. */
export class TaskFailed extends Error {
  readonly text: number;
  readonly position: number | undefined;

  constructor(message: string, text = 0, position?: number) {
    super(message);
    this.text = text;
    this.position = position;
  }
}

/** It reads files that the task does not have. */
export class FilesMissing extends Error {
  readonly files: readonly string[];

  constructor(files: readonly string[]) {
    super('Files can be read in the arguments and conditions of layers.');
    this.files = files;
  }
}

/** An internal error, not caused by the user: its message is shown to nobody, and the process is not used again. */
export class SandboxBroken extends Error {}
