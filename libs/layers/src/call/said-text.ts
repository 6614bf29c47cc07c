import type { LayerContext } from '../layer-module.js';

/** What is sent at once, and kept while nobody listens, in characters. */
const MAX_TEXT = 16_000;
const EVERY_MS = 250;

type Send = (text: { readonly answer: number; readonly at: number; readonly text: string }) => boolean;

/**
 * A text that arrives in pieces, for those who watch: at most four times a second, and of what could not be sent the end. The
 * caller calls `end`.
 */
export class SaidText implements ReturnType<LayerContext['says']> {
  private pending = '';
  private at = 0;
  private timer: NodeJS.Timeout | null = null;
  private ended = false;

  /** @param send false: nobody has got it */
  constructor(
    private readonly answer: number,
    private readonly send: Send,
  ) {}

  add(text: string): void {
    if (this.ended) return;
    this.pending += text;
    this.leaveOut(this.pending.length - MAX_TEXT);
    this.timer ??= setTimeout(() => this.flush(), EVERY_MS).unref();
  }

  end(): void {
    this.ended = true;
    if (this.timer) clearTimeout(this.timer);
  }

  private flush(): void {
    this.timer = null;
    // half a character waits for its other half
    const length = this.pending.length - (endsInHalf(this.pending) ? 1 : 0);
    const text = this.pending.slice(0, length);
    if (this.send({ answer: this.answer, at: this.at, text })) this.leaveOut(length);
  }

  private leaveOut(length: number): void {
    if (length <= 0) return;
    this.pending = this.pending.slice(length);
    this.at += length;
  }
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
