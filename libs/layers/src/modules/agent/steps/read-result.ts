/** The tool by which a model reads parts of a large result: it is computed here, and touches nothing. */
import { LayerFailure } from '../../../layer-module.js';
import type { Step } from '../../../stepping-module.js';
import { READ_TOOL } from '../tools/names.js';

/** @param found what it may read of the result; undefined: there is no such result */
export function readStep(
  call: number,
  { ref, jsonpath }: Readonly<Record<string, unknown>>,
  found: unknown,
  shown: { readonly percent: number; readonly status: string },
): Step {
  const of = { kind: 'tool', call, tool: READ_TOOL };
  return {
    does: 'call',
    name: { kind: 'tool', tool: READ_TOOL },
    request: { read: ref, jsonpath },
    asks: { tool: READ_TOOL, ref, jsonpath },
    ...shown,
    run: async ({ sandbox }) => {
      if (found === undefined)
        throw new LayerFailure('invalid_args', 'ref: there is no such result; give the $ref of an earlier one');
      const since = performance.now();
      const source = JSON.stringify(found);
      const result = await sandbox.extract({ how: 'jsonpath', pattern: String(jsonpath), source, group: 0, all: true });
      return { ...of, ok: true, result, ms: Math.round(performance.now() - since) };
    },
    failed: ({ code, message }) => ({ ...of, ok: false, result: { error: { code, message } }, ms: 0 }),
  };
}
