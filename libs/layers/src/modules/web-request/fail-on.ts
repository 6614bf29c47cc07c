import { matchesStatus } from '@weft/engine';

/**
 * True when a rule matches the status. Rules have the forms that the args schema allows: `"404"`, `"4xx"`, `"400-499"`.
 */
export function failsOn(rules: readonly string[], statusCode: number): boolean {
  return rules.some((rule) => matchesStatus(rule, statusCode));
}
