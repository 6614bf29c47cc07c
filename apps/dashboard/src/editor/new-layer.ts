import type { DraftLayer } from './draft';
import type { Args } from './form-model';

export function newLayer(key: string, ref: string, appId: string, args: Args): DraftLayer {
  return {
    key,
    id: null,
    ref,
    name: ref,
    appId,
    args: { ...args },
    when: null,
    retry: null,
    timeoutMs: null,
    onError: 'fail',
    onInterrupted: 'repeat',
    forEach: null,
    repeat: null,
    stage: null,
  };
}
