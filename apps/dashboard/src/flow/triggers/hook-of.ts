import type { Trigger } from './queries';

/** `$hook` of a call that was heard. */
export function hookOf({ body, headers, query }: NonNullable<Trigger['sample']>): object {
  return { body, headers, query };
}
