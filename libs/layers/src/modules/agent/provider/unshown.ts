import { withoutSecret } from '../../../call/without-secret.js';

/** Gives on a text that arrives in pieces, without the secrets: what may be the beginning of one waits for what follows it. */
export class Unshown {
  private pending = '';

  constructor(
    private readonly secrets: readonly string[],
    private readonly onText: (text: string) => void,
  ) {}

  add(text: string): void {
    this.pending += text;
    const cut = this.pending.length - this.begun();
    if (cut === 0) return;
    const shown = withoutSecret(this.pending.slice(0, cut), this.secrets);
    this.pending = this.pending.slice(cut);
    this.onText(shown);
  }

  /** How many characters at the end may be the beginning of a secret. */
  private begun(): number {
    const { pending } = this;
    const lengths = this.secrets.map((secret) => {
      let length = Math.min(secret.length - 1, pending.length);
      while (length > 0 && !pending.endsWith(secret.slice(0, length))) length -= 1;
      return Math.max(0, length);
    });
    return Math.max(0, ...lengths);
  }
}
