import { cutTo, widthOf } from '../io/clean.js';
import type { Terminal } from '../io/terminal.js';

/** Where the terminal does not say how large it is. */
const SIZE = { columns: 80, rows: 24 };
/** Control sequences: up some lines, erase to the end of the line, erase what follows. */
const up = (lines: number) => `\u001b[${lines}A`;
const ERASE_LINE = '\u001b[K';
const ERASE_BELOW = '\u001b[J';

/** Lines that are drawn over themselves on a terminal; elsewhere only those that are new are said. */
export class LiveLines {
  private drawn = 0;
  private readonly said = new Map<number, string>();

  constructor(private readonly terminal: Terminal) {}

  draw(lines: readonly string[]): void {
    const { err } = this.terminal.streams;
    if (!err.isTTY) return this.sayNew(lines);
    const columns = positive(err.columns) ?? SIZE.columns;
    const rows = positive(err.rows) ?? SIZE.rows;
    // what has left the screen cannot be drawn over
    const fitting = lines.length < rows ? lines : [...lines.slice(0, 1), ...lines.slice(lines.length - rows + 2)];
    const back = this.drawn > 0 ? `${up(this.drawn)}\r` : '';
    err.write(back + fitting.map((line) => `${cut(line, columns)}${ERASE_LINE}\n`).join('') + ERASE_BELOW);
    this.drawn = fitting.length;
  }

  private sayNew(lines: readonly string[]): void {
    lines.forEach((line, at) => {
      const before = this.said.get(at);
      this.said.set(at, line);
      if (before !== undefined && before !== line) this.terminal.say(line);
    });
    if (this.said.size > 0 && !this.drawn++) this.terminal.say(lines[0] ?? '');
  }
}

function positive(size: number | undefined): number | undefined {
  return size !== undefined && size > 0 ? size : undefined;
}

/** To the width of the terminal: a line that wraps would be two. Colours have no width. */
function cut(line: string, columns: number): string {
  let width = 0;
  let text = '';
  for (const part of line.split(/(\u001b\[\d+m)/)) {
    if (part.startsWith('\u001b')) {
      text += part;
      continue;
    }
    text += cutTo(part, columns - 1 - width);
    width += widthOf(part);
  }
  return text;
}
