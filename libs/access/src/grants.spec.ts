import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayOnFlow } from './flow-rights.js';
import { grantedIds, grantedOnFlow, HeldGrants, PERMISSIONS, RESOURCE_TYPES, type Grant } from './grants.js';
import { ROLES } from './roles.js';

const IDS = ['a', 'b', 'c'] as const;

/** At most one grant on a thing, as the store has it. */
const anyGrants = fc.uniqueArray(
  fc.record({
    resourceType: fc.constantFrom(...RESOURCE_TYPES),
    resourceId: fc.constantFrom(...IDS),
    permissions: fc.subarray([...PERMISSIONS], { minLength: 1 }),
  }),
  { selector: ({ resourceType, resourceId }) => `${resourceType} ${resourceId}` },
);
/** What the user has, and what each of up to three groups has. */
const anyHeld = fc.array(anyGrants, { maxLength: 4 });
const anyFlow = fc.record({ _id: fc.constantFrom(...IDS), groupId: fc.constantFrom(...IDS, null) });
const holding = (all: readonly Grant[][]): HeldGrants[] => all.map((grants) => new HeldGrants(grants));

/** docs/http-api.md §1.8 as a search through the plain list, without the look-ups of the code. */
function reachesFlow(grant: Grant, flow: { _id: string; groupId: string | null }): boolean {
  if (grant.resourceType === 'flow') return grant.resourceId === flow._id;
  return grant.resourceType === 'flow_group' && grant.resourceId === flow.groupId;
}

describe('grants', () => {
  it('open a flow by itself or by its group, whoever of user and groups holds them, and nothing else', () => {
    fc.assert(
      fc.property(anyHeld, anyFlow, fc.constantFrom(...PERMISSIONS), (all, flow, permission) => {
        const expected = all.flat().some((grant) => reachesFlow(grant, flow) && grant.permissions.includes(permission));
        expect(grantedOnFlow(holding(all), flow).includes(permission)).toBe(expected);
      }),
    );
  });

  it('name in lists exactly the things that they open one by one', () => {
    fc.assert(
      fc.property(
        anyHeld,
        fc.constantFrom(...RESOURCE_TYPES),
        fc.constantFrom(...PERMISSIONS),
        (all, type, permission) => {
          const held = holding(all);
          const open = IDS.filter((id) => held.some((grants) => grants.on(type, id).includes(permission)));
          expect([...grantedIds(held, type, permission)].sort()).toEqual(open);
        },
      ),
    );
  });

  it('are worth the same to a caller however they are spread over user and groups', () => {
    fc.assert(
      fc.property(anyGrants, fc.array(fc.nat({ max: 3 })), anyFlow, (grants, places, flow) => {
        const spread: Grant[][] = [[], [], [], []];
        grants.forEach((grant, n) => spread[places[n] ?? 0]?.push(grant));
        const [together, apart] = [grantedOnFlow(holding([grants]), flow), grantedOnFlow(holding(spread), flow)];
        expect([...apart].sort()).toEqual([...together].sort());
      }),
    );
  });

  it('taken back, leave what role and creation give', () => {
    fc.assert(
      fc.property(
        anyHeld,
        anyFlow,
        fc.boolean(),
        fc.constantFrom('u', 'v'),
        fc.constantFrom(...ROLES),
        fc.constantFrom(...PERMISSIONS),
        (all, flow, restricted, createdBy, role, permission) => {
          const subject = { ...flow, company_id: 'c', createdBy, restricted };
          const caller = { userId: 'u', companyId: 'c', role };
          const without = mayOnFlow(caller, permission, subject, []);
          const held = all.filter((grants) => !grants.some((grant) => reachesFlow(grant, flow)));
          expect(mayOnFlow(caller, permission, subject, grantedOnFlow(holding(held), flow))).toBe(without);
        },
      ),
    );
  });
});
