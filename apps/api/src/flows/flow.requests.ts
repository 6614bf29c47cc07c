import { flowShape, MAX_LAYERS, settingsShape } from '@weft/shapes';
import { bodyOf } from '../http/body-of.js';
import { FlagField, IntField, NestedField, NestedListField, TextField, TextMapField } from '../http/fields.js';
import { PageQuery } from '../http/paging.js';
import { keyField } from '../http/resource-key.js';
import { FlagParam, TextParam } from '../http/query-fields.js';
import { FlowLayerBody } from './layers/layer.requests.js';

class FlowSettingsBody extends bodyOf(settingsShape) {}

/** What a draft may have otherwise than the flow: the part of it that decides what its plays do. */
export class DraftFields extends bodyOf(flowShape.pick({ when: true })) {
  @NestedListField(FlowLayerBody, {
    description: 'All layers in their order: they replace those that the flow has. Options left out are none.',
    max: MAX_LAYERS,
    optional: true,
  })
  readonly layers?: readonly FlowLayerBody[];
}

const OTHER_FIELDS = flowShape.omit({ name: true, settings: true, when: true });

class FlowFields extends bodyOf(OTHER_FIELDS, DraftFields) {
  @FlagField({ description: 'A disabled flow is not run.', optional: true })
  readonly enabled?: boolean;

  @FlagField({ description: 'Only admins, the creator and grants open it; roles do not.', optional: true })
  readonly restricted?: boolean;

  @NestedField(FlowSettingsBody, { description: 'Fields left out stay as they are.', optional: true })
  readonly settings?: FlowSettingsBody;

  @TextField(
    keyField(
      'Your own name for it, unique in the company: `PUT /flows/by-key/{key}/document` finds it. null: none.',
      'order-intake',
    ),
  )
  readonly key?: string | null;

  @TextField({ description: 'The flow group that it belongs to.', min: 1, max: 100, optional: true, nullable: true })
  readonly groupId?: string | null;
}

const NAME = flowShape.pick({ name: true });

export class CreateFlowBody extends bodyOf(NAME, FlowFields) {}

export class UpdateFlowBody extends bodyOf(NAME.partial(), FlowFields) {
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
