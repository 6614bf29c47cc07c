/** Bytes of a value until they are given out in Base64, or as a file. */
export class Bytes {
  constructor(readonly content: Buffer) {}

  toJSON(): string {
    return this.content.toString('base64');
  }
}
