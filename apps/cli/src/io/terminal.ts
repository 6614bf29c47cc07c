import { clean, cleanLines, toJson } from './clean.js';

/** What a command talks with: data goes to `out`, everything else to `err`. */
export interface Streams {
  readonly in: NodeJS.ReadableStream & { readonly isTTY?: boolean; setRawMode?: (raw: boolean) => unknown };
  readonly out: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly err: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
}

const COLOURS = { red: 31, green: 32, yellow: 33, blue: 34, grey: 90, bold: 1 } as const;
export type Colour = keyof typeof COLOURS;

export interface Column<Row> {
  readonly title: string;
  readonly of: (row: Row) => string | number | null;
  readonly colour?: (row: Row) => Colour | null;
}

export class Terminal {
  constructor(
    readonly streams: Streams,
    readonly env: Readonly<Record<string, string | undefined>>,
    /** Data as JSON: one value, or NDJSON where there are many. */
    readonly isJson = false,
  ) {}

  /** For people. Texts of data are cleaned where they are put in; this is the last line of defence. */
  say(text: string): void {
    this.streams.err.write(`${cleanLines(text)}\n`);
  }

  /** One line of data. */
  line(text: string): void {
    this.streams.out.write(`${cleanLines(text)}\n`);
  }

  /** One object: pretty for people and for pipes alike. */
  json(value: unknown): void {
    this.line(toJson(value, this.isJson ? undefined : 2));
  }

  /** A list: NDJSON with `--json`, a table on a terminal, and lines with tabs in a pipe. */
  async rows<Row>(rows: AsyncIterable<Row> | Iterable<Row>, columns: readonly Column<Row>[]): Promise<void> {
    if (this.isJson) {
      for await (const row of rows) this.line(toJson(row));
      return;
    }
    const all: Row[] = [];
    for await (const row of rows) all.push(row);
    const texts = all.map((row) => columns.map(({ of }) => clean(String(of(row) ?? '–'))));
    if (!this.streams.out.isTTY) {
      for (const each of texts) this.line(each.join('\t'));
      return;
    }
    if (all.length === 0) return this.say('nothing');
    const widths = columns.map(({ title }, i) => Math.max(title.length, ...texts.map((each) => each[i]?.length ?? 0)));
    const pad = (text: string, i: number) => (i === columns.length - 1 ? text : text.padEnd(widths[i] ?? 0));
    this.line(this.paint('grey', columns.map(({ title }, i) => pad(title, i)).join('  ')));
    texts.forEach((each, at) => {
      const cells = each.map((text, i) => {
        const colour = columns[i]?.colour?.(all[at] as Row) ?? null;
        return colour === null ? pad(text, i) : this.paint(colour, pad(text, i));
      });
      this.line(cells.join('  '));
    });
  }

  /** @param to the stream that it is written to */
  paint(colour: Colour, text: string, to: Streams['out'] = this.streams.out): string {
    const hasColours = this.env.FORCE_COLOR
      ? true
      : to.isTTY === true && !this.env.NO_COLOR && this.env.TERM !== 'dumb';
    return hasColours ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text;
  }

  /** The same for what is said. */
  tint(colour: Colour, text: string): string {
    return this.paint(colour, text, this.streams.err);
  }
}
