/**
 * True when a rule matches the status. Rules have the forms that the args schema allows: `"404"`, `"4xx"`, `"400-499"`.
 */
export function failsOn(rules: readonly string[], statusCode: number): boolean {
  return rules.some((rule) => {
    if (rule.endsWith('xx')) return Math.floor(statusCode / 100) === Number(rule[0]);
    const [from, to = from] = rule.split('-');
    return statusCode >= Number(from) && statusCode <= Number(to);
  });
}
