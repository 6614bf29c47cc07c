import type { OperationDifference } from '@weft/openapi';
import type { RefreshOutcome, StoredDifference } from '@weft/records';
import * as s from '../http/schema.js';
import type { TouchedLayer } from './touched-layer.js';

export interface TouchedLayerView extends TouchedLayer {
  readonly ref: string;
  readonly operation: string;
  /** To which it is pinned. */
  readonly digest: string | null;
}

/** A flow with layers whose operations the document of the last refresh has otherwise, or not. */
export interface TouchedFlowView {
  readonly flowId: string;
  readonly name: string;
  readonly version: number;
  readonly layers: readonly TouchedLayerView[];
  /** Those with a fixture for one of these layers. */
  readonly testCases: readonly { readonly id: string; readonly name: string; readonly required: boolean }[];
}

export interface ApiDiffView {
  /** Null: it was never refreshed. */
  readonly refresh: { readonly at: string; readonly dryRun: boolean; readonly counts: RefreshOutcome['counts'] } | null;
  readonly operations: readonly StoredDifference[];
  readonly flows: readonly TouchedFlowView[];
}

/** What became of one flow whose layers were to take the operations as they are now. */
export interface AdoptionView {
  readonly flowId: string;
  readonly result: 'adopted' | 'unchanged' | 'refused';
  /** After it; null: the flow is not there, or not for the caller. */
  readonly version: number | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly errors: readonly { readonly path: string; readonly code: string; readonly message: string }[];
}

type Change = OperationDifference['changes'][number];

const changes = s.listOf(
  s.object<Change>({
    place: { ...s.oneOf(['args', 'out', 'plan']), description: '`plan`: how it is sent.' },
    path: { ...s.text, description: 'In dots; `*` for the elements of a list, and for fields without a name.' },
    what: s.oneOf(['added', 'removed', 'required', 'optional', 'type', 'values', 'choices', 'bounds', 'unknown']),
    breaks: s.flag,
  }),
);
const digest = { ...s.textOrNull, description: 'Of the state that differs from the document; null: there is none.' };

export const apiDiffSchema = s.named(
  'ApiDiff',
  s.object<ApiDiffView>({
    refresh: s.orNull(
      s.object<NonNullable<ApiDiffView['refresh']>>({
        at: s.time,
        dryRun: { ...s.flag, description: 'It only compared.' },
        counts: s.object<RefreshOutcome['counts']>({
          added: s.integer,
          removed: s.integer,
          changed: s.integer,
          breaking: s.integer,
        }),
      }),
    ),
    operations: {
      ...s.listOf(
        s.object<StoredDifference>({
          operation: s.text,
          digest,
          result: s.oneOf(['added', 'removed', 'changed', 'breaking']),
          changes,
        }),
      ),
      description: 'The first 1,000, what breaks first; also of earlier states, to which layers may be pinned.',
    },
    flows: {
      ...s.listOf(
        s.object<TouchedFlowView>({
          flowId: s.text,
          name: s.text,
          version: s.integer,
          layers: s.listOf(
            s.object<TouchedLayerView>({
              ref: s.text,
              operation: s.text,
              digest,
              result: {
                ...s.oneOf(['removed', 'breaking', 'changed']),
                description: '`changed`: nothing that this flow gives or reads breaks.',
              },
              changes,
            }),
          ),
          testCases: s.listOf(
            s.object<TouchedFlowView['testCases'][number]>({ id: s.text, name: s.text, required: s.flag }),
          ),
        }),
      ),
      description: 'Those that the caller may read, by their newest version.',
    },
  }),
);

export const adoptionSchema = s.named(
  'ApiAdoption',
  s.object<{ readonly items: readonly AdoptionView[] }>({
    items: s.listOf(
      s.object<AdoptionView>({
        flowId: s.text,
        result: s.oneOf(['adopted', 'unchanged', 'refused']),
        version: s.integerOrNull,
        code: { ...s.textOrNull, description: 'Why it was refused: a code of refusals.' },
        message: s.textOrNull,
        errors: s.listOf(s.object<AdoptionView['errors'][number]>({ path: s.text, code: s.text, message: s.text })),
      }),
    ),
  }),
);
