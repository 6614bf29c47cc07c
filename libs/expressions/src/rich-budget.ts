import { JsonataFault } from './scan-jsonata.js';

/**
 * Limit for the expressions of one layer that are more than paths. Parsing them blocks the process, which one request
 * may not do for long.
 */
const MAX_RICH_CHARS = 131_072;
/** The smallest expression takes as long as this many characters of a large one. */
const MIN_CHARS = 100;

/** The remaining budget for parsing expressions that are more than paths; each is charged before it is parsed. */
export class RichBudget {
  /** Characters, including the copies that JSONata's parser makes. */
  used = 0;

  /** @throws JsonataFault when the budget is exceeded */
  charge(chars: number, position: number): void {
    this.used += chars + MIN_CHARS;
    if (this.used <= MAX_RICH_CHARS) return;
    const message = `what is more than paths in one layer has at most ${MAX_RICH_CHARS} characters, with what ?? and ?: repeat of it`;
    throw new JsonataFault(message, position, true);
  }
}
