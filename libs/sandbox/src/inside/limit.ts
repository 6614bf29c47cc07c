/** A bound that was reached in here; the message names it. */
export class Limit extends Error {}

/** The text or its data is wrong. */
export class Failed extends Error {
  readonly text: number;
  readonly position: number | undefined;

  constructor(message: string, text = 0, position?: number) {
    super(message);
    this.text = text;
    this.position = position;
  }
}

/** Nothing of the user's: what it says is for nobody, and the process is not used again. */
export class Broken extends Error {}
