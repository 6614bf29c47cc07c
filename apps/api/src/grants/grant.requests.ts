import {
  GRANT_TYPES,
  PERMISSIONS,
  RESOURCE_TYPES,
  type GrantType,
  type Permission,
  type ResourceType,
} from '@weft/access';
import { ChoiceField, ChoiceListField, TextField } from '../http/fields.js';
import { PageQuery } from '../http/paging.js';
import { ChoiceParam, TextParam } from '../http/query-fields.js';

const MAX_ID = 64;

export class GrantBody {
  @ChoiceField({ description: 'A grant on a flow group reaches its flows.', of: RESOURCE_TYPES })
  readonly resource_type: ResourceType;

  @TextField({
    description: 'The flow, flow group or integration link.',
    min: 1,
    max: MAX_ID,
    example: '06dqx3v8k2m7w0r5t9ya',
  })
  readonly resource_id: string;

  @ChoiceField({ description: 'Whether it is for one user or for all members of a group.', of: GRANT_TYPES })
  readonly grant_type: GrantType;

  @TextField({
    description: 'That user or group of your company.',
    min: 1,
    max: MAX_ID,
    example: '06dqx3v8k2m7w0r5t9ya',
  })
  readonly grantee_id: string;

  @ChoiceListField({
    description: 'What the grantee may do, whatever the role.',
    of: PERMISSIONS,
    example: ['read', 'execute'],
  })
  readonly permissions: readonly Permission[];
}

export class ListGrantsQuery extends PageQuery {
  @ChoiceParam('On things of this kind.', RESOURCE_TYPES)
  readonly resource_type?: ResourceType;

  @TextParam('On this thing.', MAX_ID)
  readonly resource_id?: string;

  @TextParam('To this user or group.', MAX_ID)
  readonly grantee_id?: string;
}
