import type { Concurrency, Labels } from '@weft/contracts';
import { MAX_LAYERS } from '@weft/shapes';
import { LabelsField } from '../http/labels.js';
import { ConcurrencyField } from './concurrency-field.js';
import {
  ChoiceField,
  FlagField,
  FreeObjectField,
  IntField,
  NameField,
  NestedField,
  NestedListField,
  TextField,
  TextMapField,
} from '../http/fields.js';
import { PageQuery } from '../http/paging.js';
import { FlagParam, TextParam } from '../http/query-fields.js';
import { FlowLayerBody } from './layers/layer.requests.js';

/** An output may have as many bytes as the answer of a web request: docs/operator-contract.md §1. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

const DAY_MS = 24 * 3_600_000;

export const TOOL_NAME = /^[A-Za-z0-9_.-]+$/;
export const MAX_TOOL_NAME = 64;
export const MAX_TOOL_DESCRIPTION = 2_000;

export const FLOW_KEY = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
export const MAX_FLOW_KEY = 100;
export const FLOW_KEY_SAYS = 'key must start with a letter or a digit and go on with letters, digits, "_", "." or "-"';

class FlowToolBody {
  @TextField({
    description: 'Its name; agents see the id of the flow behind it where two flows have the same one.',
    min: 1,
    max: MAX_TOOL_NAME,
    pattern: TOOL_NAME,
    patternSays: 'tool has letters, digits, "_", "-" and "."',
    example: 'look_up_order',
  })
  readonly tool: string;

  @TextField({ description: 'What it does, for the model that chooses.', min: 1, max: MAX_TOOL_DESCRIPTION })
  readonly description: string;

  @FreeObjectField({ description: 'JSON Schema of the args, with type object.', optional: true })
  readonly argsSchema?: Readonly<Record<string, unknown>>;

  @FreeObjectField({ description: 'JSON Schema of the out of the last layer.', optional: true })
  readonly outSchema?: Readonly<Record<string, unknown>>;
}

export class FlowSettingsBody {
  @ChoiceField({
    description: 'What an expression gives for a field that is not there: `fail` fails the layer.',
    of: ['fail', 'null', 'empty'],
    optional: true,
  })
  readonly onMissing?: 'fail' | 'null' | 'empty';

  @IntField({
    description: 'Bytes that one output may have; null: 64 MB. A larger one fails its layer, nothing is cut.',
    min: 1,
    max: MAX_OUTPUT_BYTES,
    optional: true,
    nullable: true,
  })
  readonly maxOutputBytes?: number | null;

  @ConcurrencyField({
    description:
      'Plays of this flow that run at once; null: any number. Those over it wait, DEFERRED, in order. With a `key`, a text with ' +
      'expressions over the args, the limit is for each value of it.',
    optional: true,
    nullable: true,
  })
  readonly concurrency?: Concurrency | null;

  @IntField({
    description: 'Time limit of a play in milliseconds, from when it is due; null: none.',
    min: 1,
    max: 31 * DAY_MS,
    optional: true,
    nullable: true,
  })
  readonly timeoutMs?: number | null;

  @ChoiceField({
    description:
      'What a call to a destination does that is down: `fail`: it is made; `park`: its play waits, DEFERRED.',
    of: ['fail', 'park'],
    optional: true,
  })
  readonly onDestinationDown?: 'fail' | 'park';

  @TextField({
    description:
      'Plays with the same lane run one after the other, in the order of acceptance, over all flows (docs/lanes.md): a text with ' +
      'expressions over the args; null: none.',
    min: 1,
    max: 4_096,
    optional: true,
    nullable: true,
    example: 'customer-{{ $prev.args.customerId }}',
  })
  readonly lane?: string | null;

  @ChoiceField({
    description:
      'What a lane does when a play of the flow FAILs during its turn: it goes on, or waits for a retry or a skip.',
    of: ['continue', 'stop'],
    optional: true,
  })
  readonly onLaneFail?: 'continue' | 'stop';

  @LabelsField('Of each play of the flow; they replace those that it has.')
  readonly labels?: Labels;

  @NestedField(FlowToolBody, {
    description: 'Agents see the flow as a tool of its own (docs/mcp.md); null: they do not.',
    optional: true,
    nullable: true,
  })
  readonly mcp?: FlowToolBody | null;

  @TextField({
    description: 'The flow that is run once for each play that fails (docs/flows.md); null: none.',
    min: 1,
    max: 100,
    optional: true,
    nullable: true,
  })
  readonly onFailure?: string | null;

  @ChoiceField({
    description:
      'When changes apply to runs: `auto`: at once; `manual`: when they are published, so that they are drafts until then.',
    of: ['auto', 'manual'],
    optional: true,
  })
  readonly publish?: 'auto' | 'manual';
}

/** What a draft may have otherwise than the flow: the part of it that decides what its plays do. */
export class DraftFields {
  @TextField({
    description: 'An expression, judged when a run is accepted: false, and the play is SKIP at once. null: always run.',
    min: 1,
    max: 65_536,
    optional: true,
    nullable: true,
    example: '{{ $prev.args.urgent }}',
  })
  readonly when?: string | null;

  @NestedListField(FlowLayerBody, {
    description: 'All layers in their order: they replace those that the flow has. Options left out are none.',
    max: MAX_LAYERS,
    optional: true,
  })
  readonly layers?: readonly FlowLayerBody[];
}

class FlowFields extends DraftFields {
  @FlagField({ description: 'A disabled flow is not run.', optional: true })
  readonly enabled?: boolean;

  @TextField({ description: 'A word to sort flows by.', max: 200, optional: true, example: 'Orders' })
  readonly category?: string;

  @TextField({ description: 'What the flow is for.', max: 10_000, optional: true })
  readonly description?: string;

  @FlagField({ description: 'A blueprint is instantiated, not run.', optional: true })
  readonly isBlueprint?: boolean;

  @FlagField({ description: 'Only admins, the creator and grants open it; roles do not.', optional: true })
  readonly restricted?: boolean;

  @NestedField(FlowSettingsBody, { description: 'Fields left out stay as they are.', optional: true })
  readonly settings?: FlowSettingsBody;

  @FreeObjectField({
    description: 'JSON Schema that the args of runs must fit; null: none. Its keywords: docs/flows.md.',
    optional: true,
    nullable: true,
    example: { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] },
  })
  readonly argsSchema?: Readonly<Record<string, unknown>> | null;

  @TextField({
    description:
      'Your own name for it, unique in the company: `PUT /flows/by-key/{key}/document` finds it. null: none.',
    min: 1,
    max: MAX_FLOW_KEY,
    pattern: FLOW_KEY,
    patternSays: FLOW_KEY_SAYS,
    optional: true,
    nullable: true,
    example: 'order-intake',
  })
  readonly key?: string | null;

  @TextField({ description: 'The flow group that it belongs to.', min: 1, max: 100, optional: true, nullable: true })
  readonly groupId?: string | null;
}

export class CreateFlowBody extends FlowFields {
  @NameField({ description: 'Need not be unique.', example: 'Order intake' })
  readonly name: string;
}

export class UpdateFlowBody extends FlowFields {
  @NameField({ description: 'Need not be unique.', optional: true })
  readonly name?: string;

  @TextMapField({
    description:
      'New values of variables that the flow reads as `{{ $blueprint.<name> }}`; those that are not named stay. Values are not shown.',
    maxEntries: 1_000,
    maxLength: 65_536,
    optional: true,
    example: { host: 'api.example.com' },
  })
  readonly blueprintVars?: Readonly<Record<string, string>>;
}

export class PublishBody {
  @IntField({
    description: 'Left out: the last version. An earlier one takes later ones back.',
    min: 1,
    max: 1_000_000_000,
    optional: true,
    example: 7,
  })
  readonly version?: number;
}

export class ListFlowsQuery extends PageQuery {
  @FlagParam('Only blueprints, or none.')
  readonly isBlueprint?: boolean;

  @FlagParam('Only enabled ones, or disabled ones.')
  readonly enabled?: boolean;

  @TextParam('Exactly this category.')
  readonly category?: string;

  @TextParam('Of this flow group.')
  readonly groupId?: string;

  @TextParam('Exactly this key.')
  readonly key?: string;

  @TextParam('Part of the name, in any case.')
  readonly q?: string;

  @FlagParam('The deleted flows, for admins.')
  readonly filtered?: boolean;
}
