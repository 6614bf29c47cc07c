import { isCronFault, readCronRule, type CronFault, type CronRule } from '@weft/engine';
import { LRUCache } from 'lru-cache';

const MAX_RULES = 1_000;

/**
 * Rules of schedules, parsed once, that remember their last answer: many schedules have the same rule and need the same
 * moment, and computing a calendar takes longer than everything else that is done for a slot.
 */
export class KnownRules {
  private readonly rules = new LRUCache<string, CronRule>({ max: MAX_RULES });

  read(schedule: string, timezone: string, now: Date): CronRule | CronFault {
    const name = `${timezone} ${schedule}`;
    const known = this.rules.get(name);
    if (known) return known;
    const read = readCronRule(schedule, timezone, now);
    if (isCronFault(read)) return read;
    const rule = withLastAnswers(read);
    this.rules.set(name, rule);
    return rule;
  }
}

function withLastAnswers(rule: CronRule): CronRule {
  let next: { readonly after: number; readonly slot: Date | null } | undefined;
  let latest: { readonly count: number; readonly until: number; readonly slots: Date[] } | undefined;
  return {
    next: (at) => {
      const after = at.getTime();
      if (next?.after !== after) next = { after, slot: rule.next(at) };
      return next.slot;
    },
    latest: (count, at) => {
      const until = at.getTime();
      if (latest?.count !== count || latest.until !== until) latest = { count, until, slots: rule.latest(count, at) };
      return latest.slots;
    },
  };
}
