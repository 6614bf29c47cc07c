import { RE2JS, type Matcher } from 're2js';
import { TaskFailed } from './errors.js';

/** The part of `RegExp` that JSONata uses, with an engine that runs in linear time. */
export class LinearRegex {
  lastIndex = 0;
  private readonly pattern: RE2JS;
  private last: { readonly text: string; readonly matcher: Matcher } | null = null;

  /** @throws TaskFailed when the pattern has features that a linear engine lacks (look-around, back references) */
  constructor(source: RegExp) {
    try {
      this.pattern = RE2JS.compile(RE2JS.translateRegExp(source));
    } catch (error) {
      throw new TaskFailed(error instanceof Error ? error.message : String(error));
    }
  }

  exec(text: string): (RegExpExecArray & { index: number }) | null {
    if (this.last?.text !== text) this.last = { text, matcher: this.pattern.matcher(text) };
    const { matcher } = this.last;
    if (this.lastIndex > text.length || !matcher.find(this.lastIndex)) {
      this.lastIndex = 0;
      return null;
    }
    const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, i) => matcher.group(i) ?? undefined);
    this.lastIndex = matcher.end();
    return Object.assign(groups, { index: matcher.start(), input: text }) as unknown as RegExpExecArray;
  }
}
