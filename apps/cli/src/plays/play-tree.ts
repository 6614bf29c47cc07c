import type { PlayFrame, PlayLayer } from '@weft/client';
import { clean, padTo, shorten, widthOf } from '../io/clean.js';
import type { Colour } from '../io/terminal.js';

export const STATE_COLOURS: Readonly<Record<string, Colour | null>> = {
  DONE: 'green',
  FAIL: 'red',
  RUN: 'blue',
  WAIT: 'yellow',
  ON_HOLD: 'yellow',
  DEFERRED: 'yellow',
  SKIP: 'grey',
  FILTERED: 'grey',
  NEW: 'grey',
};

const SIGNS: Readonly<Record<string, string>> = {
  DONE: '✓',
  FAIL: '✗',
  RUN: '●',
  WAIT: '◷',
  DEFERRED: '◷',
  SKIP: '·',
  FILTERED: '·',
  NEW: '·',
};
const MOST_MESSAGE = 100;

interface Branch {
  readonly ref: string;
  state: string;
  note: string;
}

/** A play as it is seen now: changed by its frames, shown as lines. Pure. */
export class PlayTree {
  private readonly branches: Branch[];
  state: string;
  private note = '';
  /** By ref, the last words of the answer that arrives. */
  private readonly said = new Map<string, string>();

  constructor(
    readonly playId: string,
    readonly title: string,
    layers: readonly Pick<PlayLayer, 'ref'>[],
    /** Before its first frame. */
    state: string,
  ) {
    this.state = state;
    this.branches = layers.map(({ ref }) => ({ ref, state: 'NEW', note: '' }));
  }

  take(frame: PlayFrame): void {
    switch (frame.type) {
      case 'play_state_change':
        this.state = frame.data.new_status;
        break;
      case 'play_complete':
        this.state = frame.data.final_status;
        this.note = `${frame.data.duration_ms} ms`;
        break;
      case 'layer_start':
        this.set(frame.data.ref, 'RUN', '');
        break;
      case 'layer_progress':
        if (!this.said.has(frame.data.ref)) this.set(frame.data.ref, 'RUN', `${frame.data.progress_percent} %`);
        break;
      case 'layer_delta':
        this.set(frame.data.ref, 'RUN', this.wordsOf(frame.data));
        break;
      case 'layer_error':
        this.set(frame.data.ref, 'RUN', `attempt ${frame.data.retry_count + 1}: ${frame.data.error_message}`);
        break;
      case 'layer_complete':
        this.set(
          frame.data.ref,
          frame.data.status,
          frame.data.status === 'FAIL' ? this.noteOf(frame.data.ref) : `${frame.data.duration_ms} ms`,
        );
        break;
    }
  }

  /** @param paint gives a text its colour */
  lines(paint: (colour: Colour, text: string) => string): string[] {
    const tinted = (state: string, text: string) => {
      const colour = STATE_COLOURS[state];
      return colour ? paint(colour, text) : text;
    };
    const width = this.branches.reduce((most, { ref }) => Math.max(most, widthOf(clean(ref))), 0);
    return [
      `${clean(this.title)} ${paint('grey', clean(this.playId))} ${tinted(this.state, clean(this.state))} ${clean(this.note)}`.trimEnd(),
      ...this.branches.map(({ ref, state, note }, i) => {
        const stem = i === this.branches.length - 1 ? '└─' : '├─';
        const text = `${SIGNS[state] ?? '?'} ${padTo(clean(ref), width)}`;
        return `${stem} ${tinted(state, text)}  ${shorten(clean(note), MOST_MESSAGE)}`.trimEnd();
      }),
    ];
  }

  private set(ref: string, state: string, note: string): void {
    const branch = this.branches.find((one) => one.ref === ref);
    if (branch) Object.assign(branch, { state, note });
  }

  private wordsOf({ ref, at, text }: Extract<PlayFrame, { type: 'layer_delta' }>['data']): string {
    const words = `${at === 0 ? '' : (this.said.get(ref) ?? '')}${text}`.replaceAll(/\s+/g, ' ').slice(-MOST_MESSAGE);
    this.said.set(ref, words);
    return words;
  }

  private noteOf(ref: string): string {
    return this.branches.find((one) => one.ref === ref)?.note ?? '';
  }
}
