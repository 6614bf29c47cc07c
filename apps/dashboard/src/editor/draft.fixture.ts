import type { DraftLayer } from './draft';

export function aDraft(ref: string, fields: Partial<DraftLayer> = {}): DraftLayer {
  return {
    key: `id-${ref}`,
    id: `id-${ref}`,
    ref,
    name: ref,
    appId: 'text-template',
    args: { template: 'x' },
    when: null,
    retry: null,
    timeoutMs: null,
    onError: 'fail',
    onInterrupted: 'repeat',
    forEach: null,
    repeat: null,
    stage: null,
    ...fields,
  };
}
