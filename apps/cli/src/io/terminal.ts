import { cleanLines, toJson } from './clean.js';
import { drawTable, textsOf, type Column } from './table.js';

/** What a command talks with: data goes to `out`, everything else to `err`. */
export interface Streams {
  readonly in: NodeJS.ReadableStream & { readonly isTTY?: boolean; setRawMode?: (raw: boolean) => unknown };
  readonly out: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly err: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
}

const COLOURS = { red: 31, green: 32, yellow: 33, blue: 34, grey: 90, bold: 1 } as const;
export type Colour = keyof typeof COLOURS;

export class Terminal {
  constructor(
    readonly streams: Streams,
    readonly env: Readonly<Record<string, string | undefined>>,
    /** Data as JSON: one value, or NDJSON where there are many. */
    readonly isJson = false,
    /** Ends what waits for a person. */
    readonly signal: AbortSignal = new AbortController().signal,
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

  /** A list, as it comes: NDJSON with `--json`, a table on a terminal, and lines with tabs in a pipe. */
  async rows<Row>(rows: AsyncIterable<Row> | Iterable<Row>, columns: readonly Column<Row>[]): Promise<void> {
    if (this.isJson) for await (const row of rows) this.line(toJson(row));
    else if (this.streams.out.isTTY) await drawTable(this, rows, columns);
    else for await (const row of rows) this.line(textsOf(row, columns).join('\t'));
  }

  /** @param to the stream that it is written to */
  paint(colour: Colour, text: string, to: Streams['out'] = this.streams.out): string {
    return hasColours(to, this.env) ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text;
  }

  /** The same for what is said. */
  tint(colour: Colour, text: string): string {
    return this.paint(colour, text, this.streams.err);
  }
}

/** NO_COLOR wins; FORCE_COLOR is for logs that show colours. */
function hasColours({ isTTY }: Streams['out'], { NO_COLOR, FORCE_COLOR, TERM }: Terminal['env']): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTTY === true && TERM !== 'dumb';
}
