import { PERMISSIONS, ROLES, roleGives } from '@weft/access';
import { ROLE_NAMES } from '../../session/me';
import { Icon } from '../../ui/icon';
import { Table } from '../../ui/table';

const WORDS = { read: 'See', execute: 'Run', edit: 'Change', delete: 'Delete' } as const;

/** What each role may do with the flow, without any grant. */
export function RoleRights({ isRestricted }: { readonly isRestricted: boolean }) {
  const roles = ROLES.filter((role) => role !== 'none');
  return (
    <Table
      caption="By role"
      columns={['Role', ...PERMISSIONS.map((permission) => WORDS[permission])]}
      rows={roles.map((role) => ({
        key: role,
        cells: [
          ROLE_NAMES[role],
          ...PERMISSIONS.map((permission) => {
            const may = roleGives(role, permission) && (!isRestricted || role === 'admin');
            return (
              <span key={permission} data-state={may ? 'DONE' : 'SKIP'} style={{ color: 'var(--state)' }}>
                {may ? <Icon name="check" size={14} /> : '–'}
                <span className="sr-only">{may ? 'yes' : 'no'}</span>
              </span>
            );
          }),
        ],
      }))}
    />
  );
}
