/**
 * Grants of docs/http-api.md §3: permissions of one user or group on one resource, in addition to those of their role. This file
 * only looks them up; `flow-rights.ts` decides.
 */
export const RESOURCE_TYPES = ['flow', 'flow_group', 'integration'] as const;
export type ResourceType = (typeof RESOURCE_TYPES)[number];

export const GRANT_TYPES = ['user', 'group'] as const;
export type GrantType = (typeof GRANT_TYPES)[number];

export const PERMISSIONS = ['read', 'execute', 'edit', 'delete'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export interface Grant {
  readonly resourceType: ResourceType;
  readonly resourceId: string;
  readonly permissions: readonly Permission[];
}

const NOTHING: readonly Permission[] = [];

/** The grants to one user or one group in one company. */
export class HeldGrants {
  private readonly byType = new Map<ResourceType, Map<string, readonly Permission[]>>();

  constructor(grants: Iterable<Grant>) {
    for (const { resourceType, resourceId, permissions } of grants) {
      let ofType = this.byType.get(resourceType);
      if (!ofType) this.byType.set(resourceType, (ofType = new Map<string, readonly Permission[]>()));
      ofType.set(resourceId, permissions);
    }
  }

  on(type: ResourceType, id: string): readonly Permission[] {
    return this.byType.get(type)?.get(id) ?? NOTHING;
  }

  idsWith(type: ResourceType, permission: Permission): string[] {
    const ofType = this.byType.get(type);
    if (!ofType) return [];
    return [...ofType].filter(([, permissions]) => permissions.includes(permission)).map(([id]) => id);
  }
}

/** The permissions granted on a flow or on its flow group, to the user or to one of the user's groups. */
export function grantedOnFlow(
  held: readonly HeldGrants[],
  flow: { readonly _id: string; readonly groupId: string | null },
): readonly Permission[] {
  const { _id, groupId } = flow;
  return held.flatMap((grants) => [
    ...grants.on('flow', _id),
    ...(groupId === null ? NOTHING : grants.on('flow_group', groupId)),
  ]);
}

/** The ids of the resources of one type on which the permission was granted, each once. */
export function grantedIds(held: readonly HeldGrants[], type: ResourceType, permission: Permission): readonly string[] {
  return [...new Set(held.flatMap((grants) => grants.idsWith(type, permission)))];
}
