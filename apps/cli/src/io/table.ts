import { clean, padTo, shorten, widthOf } from './clean.js';
import type { Colour, Terminal } from './terminal.js';

export interface Column<Row> {
  readonly title: string;
  readonly of: (row: Row) => string | number | null;
  readonly colour?: (row: Row) => Colour | null;
  /** Is shown in full, however narrow the terminal is: it is what other commands take. */
  readonly whole?: boolean;
}

/** The widths are those of the first rows; later ones are written as they come. */
const MEASURED_ROWS = 200;
const GAP = 2;
/** A column that is made narrower keeps as many columns of the terminal. */
const LEAST_WIDTH = 8;
/** ASCII, as programs that read the lines of a pipe expect. */
const NOTHING = '-';

export function textsOf<Row>(row: Row, columns: readonly Column<Row>[]): string[] {
  return columns.map(({ of }) => clean(of(row) ?? NOTHING));
}

/** A table that fits into the terminal. */
export async function drawTable<Row>(
  terminal: Terminal,
  rows: AsyncIterable<Row> | Iterable<Row>,
  columns: readonly Column<Row>[],
): Promise<void> {
  let first: Row[] | null = [];
  let widths: readonly number[] = [];
  const draw = (row: Row) => terminal.line(lineOf(terminal, row, columns, widths));
  const begin = (measured: readonly Row[]) => {
    widths = fit(widthsOf(measured, columns), columns, terminal.streams.out.columns);
    terminal.line(
      terminal.paint(
        'grey',
        cells(
          columns.map(({ title }) => title),
          widths,
        )
          .join('')
          .trimEnd(),
      ),
    );
    measured.forEach(draw);
    first = null;
  };
  for await (const row of rows) {
    if (first === null) draw(row);
    else if (first.push(row) === MEASURED_ROWS) begin(first);
  }
  if (first === null) return;
  if (first.length === 0) terminal.say('nothing');
  else begin(first);
}

function widthsOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): number[] {
  const texts = rows.map((row) => textsOf(row, columns));
  return columns.map(({ title }, i) =>
    texts.reduce((most, each) => Math.max(most, widthOf(each[i] ?? '')), title.length),
  );
}

/** The widest column that may be cut gives way, until the line fits or none can be cut any more. */
function fit<Row>(widths: readonly number[], columns: readonly Column<Row>[], most = 0): readonly number[] {
  if (most <= 0) return widths;
  const fitted = widths.map((width, i) => (columns[i]?.whole ? width : Math.min(width, most)));
  const widthOfCut = (i: number) => (columns[i]?.whole ? 0 : (fitted[i] ?? 0));
  for (;;) {
    const total = fitted.reduce((sum, width) => sum + width, GAP * (fitted.length - 1));
    const widest = fitted.reduce((at, _width, i) => (widthOfCut(i) > widthOfCut(at) ? i : at), 0);
    if (total <= most || widthOfCut(widest) <= LEAST_WIDTH) return fitted;
    fitted[widest] = widthOfCut(widest) - 1;
  }
}

function cells(texts: readonly string[], widths: readonly number[]): string[] {
  return texts.map((text, i) => {
    const width = widths[i] ?? 0;
    return i === texts.length - 1 ? shorten(text, width) : padTo(shorten(text, width), width + GAP);
  });
}

function lineOf<Row>(terminal: Terminal, row: Row, columns: readonly Column<Row>[], widths: readonly number[]): string {
  return cells(textsOf(row, columns), widths)
    .map((cell, i) => {
      const colour = columns[i]?.colour?.(row) ?? null;
      return colour === null ? cell : terminal.paint(colour, cell);
    })
    .join('');
}
