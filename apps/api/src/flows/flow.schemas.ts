import type { FlowReport, FlowSettings, FlowTool, FlowView, LayerView, Warning } from '@weft/contracts';
import { PERMISSIONS } from '@weft/access';
import { layerShape } from '@weft/shapes';
import * as s from '../http/schema.js';

export const warningSchema = s.object<Warning>({ path: s.text, code: s.text, message: s.text });

export const layerSchema = s.named(
  'Layer',
  s.object<LayerView>({
    id: s.text,
    flowId: s.text,
    index: s.integer,
    ...s.fieldsOf(layerShape),
    warnings: s.listOf(warningSchema),
  }),
);

type ConcurrencyByKey = Extract<FlowSettings['concurrency'], object>;

export const flowSchema = s.named(
  'Flow',
  s.object<FlowView>(
    {
      id: s.text,
      key: { ...s.textOrNull, description: 'Your own name for it, which stays.' },
      name: s.text,
      enabled: s.flag,
      category: s.text,
      isBlueprint: s.flag,
      company_id: s.text,
      description: s.text,
      version: s.integer,
      publishedVersion: { ...s.integerOrNull, description: 'The version that runs use; null: none is published yet.' },
      groupId: s.textOrNull,
      restricted: s.flag,
      when: s.textOrNull,
      settings: s.object<FlowSettings>({
        concurrency: {
          anyOf: [s.integer, s.object<ConcurrencyByKey>({ limit: s.integer, key: s.text }), { type: 'null' }],
          description: 'Plays that run at once; with a key, of each value of it.',
        },
        timeoutMs: s.integerOrNull,
        onMissing: s.oneOf(['fail', 'null', 'empty']),
        maxOutputBytes: s.integerOrNull,
        onDestinationDown: s.oneOf(['fail', 'park']),
        lane: {
          ...s.textOrNull,
          description: 'The lane in which a play waits for its turn, with expressions over its args.',
        },
        onLaneFail: s.oneOf(['continue', 'stop']),
        labels: s.labels,
        mcp: s.orNull(
          s.object<FlowTool>({ tool: s.text, description: s.text, argsSchema: s.freeObject, outSchema: s.freeObject }, [
            ...(['argsSchema', 'outSchema'] as const),
          ]),
        ),
        onFailure: { ...s.textOrNull, description: 'The flow that is run once for each play that fails.' },
        publish: s.oneOf(['auto', 'manual']),
      }),
      argsSchema: { ...s.orNull(s.freeObject), description: 'JSON Schema of the args of its runs.' },
      blueprintId: s.textOrNull,
      createdBy: s.text,
      createdAt: s.time,
      updatedAt: s.time,
      filteredAt: s.timeOrNull,
      valid: { ...s.orNull(s.flag), description: 'Whether it could be enabled, judged when it was saved.' },
      errors: { ...s.listOf(warningSchema), description: 'Why not.' },
      layers: { ...s.listOf(layerSchema), description: 'When one flow is read.' },
      permissions: {
        ...s.listOf(s.oneOf(PERMISSIONS)),
        description: 'By `GET /flows/{id}`: what the caller may do, by role, as its creator and by grants.',
      },
    },
    ['layers', 'permissions'],
  ),
);

export const flowPageSchema = s.pageOf('Flow', flowSchema);

export const flowReportSchema = s.named(
  'FlowReport',
  s.object<FlowReport>({ valid: s.flag, errors: s.listOf(warningSchema), warnings: s.listOf(warningSchema) }),
);
