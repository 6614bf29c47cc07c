import { isCronFault, readCronRule, type CronFault, type CronRule } from '@weft/engine';
import { LRUCache } from 'lru-cache';

const MAX_RULES = 1_000;

/**
 * Rules of schedules, read once, that remember their last answer: many schedules say the same and are asked for the same
 * moment, and a calendar takes longer to ask than all else takes that is done for a slot.
 */
export class KnownRules {
  private readonly rules = new LRUCache<string, CronRule>({ max: MAX_RULES });

  read(schedule: string, timezone: string, now: Date): CronRule | CronFault {
    const name = `${timezone} ${schedule}`;
    const known = this.rules.get(name);
    if (known) return known;
    const read = readCronRule(schedule, timezone, now);
    if (isCronFault(read)) return read;
    const rule: CronRule = {
      next: withLastAnswer((after: number) => read.next(new Date(after)), (after: Date) => [after.getTime()]),
      latest: withLastAnswer(
        (count: number, until: number) => read.latest(count, new Date(until)),
        (count: number, until: Date) => [count, until.getTime()],
      ),
    };
    this.rules.set(name, rule);
    return rule;
  }
}

function withLastAnswer<Asked extends unknown[], Told extends number[], Answer>(
  answer: (...told: Told) => Answer,
  tell: (...asked: Asked) => Told,
): (...asked: Asked) => Answer {
  let last: { readonly told: Told; readonly answer: Answer } | undefined;
  return (...asked) => {
    const told = tell(...asked);
    if (!last || last.told.some((each, i) => each !== told[i])) last = { told, answer: answer(...told) };
    return last.answer;
  };
}
