import type { RetentionRule } from '@weft/retention';

/**
 * How far the sweeps of one company have come in one run. Each visit makes its sweeps by the policies as they are then: one whose
 * rule is the same goes on where the visit before has left it, and one whose rule has changed begins anew.
 */
export class SweepPositions {
  private readonly byRule = new Map<string, object>();

  /** @param start makes the position of a sweep that begins */
  of<Position extends object>(rule: RetentionRule, start: () => Position): Position {
    const key = JSON.stringify(rule);
    const known = this.byRule.get(key) as Position | undefined;
    const position = known ?? start();
    this.byRule.set(key, position);
    return position;
  }
}
