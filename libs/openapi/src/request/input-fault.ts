/** What is wrong with the input of an operation. `path` is in dots and begins with the part of the input. */
export class InputFault extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}
