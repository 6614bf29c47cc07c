import { JsonataFault } from './scan-jsonata.js';

/**
 * Of the expressions of one layer that are more than paths. They are parsed where the process can do nothing else meanwhile: a
 * request may not hold it for long.
 */
const MAX_RICH_CHARS = 131_072;
/** The smallest takes as long as so many characters of a large one. */
const CHARS_OF_ANY = 100;

/** How much that is more than paths may still be parsed; each is charged before it is. */
export class RichBudget {
  /** Characters, with what JSONata's parser makes of them. */
  used = 0;

  /** @throws JsonataFault when it is too much */
  charge(chars: number, position: number): void {
    this.used += chars + CHARS_OF_ANY;
    if (this.used <= MAX_RICH_CHARS) return;
    const message = `what is more than paths in one layer has at most ${MAX_RICH_CHARS} characters, with what ?? and ?: repeat of it`;
    throw new JsonataFault(message, position, true);
  }
}
