import type { FlowChange, FlowDiffView, FlowVersionView } from '@weft/contracts';
import * as s from '../../http/schema.js';
import { flowSchema } from '../flow.schemas.js';

export const flowVersionSchema = s.named(
  'FlowVersion',
  s.object<FlowVersionView>({ version: s.integer, createdBy: s.text, createdAt: s.time, flow: flowSchema }),
);

export const flowVersionPageSchema = s.pageOf('FlowVersion', flowVersionSchema);

export const flowDiffSchema = s.named(
  'FlowDiff',
  s.object<FlowDiffView>({
    from: s.integer,
    to: s.integer,
    changes: s.listOf(s.object<FlowChange>({ path: s.text, before: s.anything, after: s.anything })),
  }),
);
